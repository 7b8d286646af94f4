// SPDX-License-Identifier: Apache-2.0
/** What a compiler's log complains of, by the API that it complains of. */

export interface ErrorGroup {
  /** `iree_hal_device_create_params_t`, or the message itself where it names nothing of IREE or PJRT. */
  readonly api: string;
  /** Places at which it is said, `file:line`, in their order. */
  readonly places: readonly string[];
  /** The first message. */
  readonly message: string;
}

/** As GCC and clang write them: `file:line:column: error: message`. */
const ERROR = /^(\S+?):(\d+):\d+: (?:fatal )?error: (.+)$/;
const API = /['‘"]?\b((?:iree|IREE|PJRT|XLA|mlir|Mlir|flatcc)_?\w*)/;

/** `root`: paths below it are shown relative to it. */
export function groupErrors(log: string, root: string): ErrorGroup[] {
  const groups = new Map<string, { places: string[]; message: string }>();
  for (const line of log.split('\n')) {
    const [, file, number, message] = ERROR.exec(line.trim()) ?? [];
    if (file === undefined || number === undefined || message === undefined) continue;
    const api = API.exec(message)?.[1] ?? message;
    const group = groups.get(api) ?? { places: [], message };
    const place = `${file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file}:${number}`;
    if (!group.places.includes(place)) group.places.push(place);
    groups.set(api, group);
  }
  return [...groups].map(([api, group]) => ({ api, ...group }));
}
