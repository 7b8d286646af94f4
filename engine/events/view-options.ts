// SPDX-License-Identifier: Apache-2.0
import type { EventSink } from './event.js';
import type { Paint } from './text.js';

/** What a view writes to, and how. */
export interface ViewOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly cwd: string;
}

/** A view is fed with events and closed when the run is over; it prints nothing after that. */
export interface View {
  readonly emit: EventSink;
  close(): Promise<void>;
}
