// SPDX-License-Identifier: Apache-2.0
import { PipelineFailure, type Failure } from '../../engine/failure.js';

/** What pip, uv, cargo and git print when the network, and not the request, is at fault. */
const NETWORK = [
  /Failed to establish a new connection/i,
  /Retrying \(Retry\(total=/,
  /Temporary failure in name resolution|Name or service not known|dns error|Could(?: not|n't) resolve host/i,
  /tcp connect error|error sending request for url|operation timed out|Read timed out|Connection timed out/i,
  /spurious network error|Could not connect to server|Failed to connect to|Connection (?:refused|reset)/i,
  /Max retries exceeded|RemoteDisconnected|Connection aborted|error decoding response body/,
  /Network is unreachable|No route to host|tunnel error|ProxyError|SSLError|CERTIFICATE_VERIFY_FAILED|UnknownIssuer/i,
  /download of config\.json failed|Broken pipe|IncompleteRead|ProtocolError|early EOF|unable to access '/i,
];
const DISK = /No space left on device|ENOSPC|os error 28\b|Disk quota exceeded|EDQUOT/i;
const CORRUPT = /failed to verify the checksum|THESE PACKAGES DO NOT MATCH THE HASHES|Hash mismatch for/i;

/** Which family the output of a failed client belongs to; undefined if it is neither. */
export function familyOf(output: string): 'network' | 'disk' | 'integrity' | undefined {
  if (DISK.test(output)) return 'disk';
  if (CORRUPT.test(output)) return 'integrity';
  return NETWORK.some((pattern) => pattern.test(output)) ? 'network' : undefined;
}

/** Everything known about an error, as one text. */
export function outputOf(error: unknown): string {
  if (!(error instanceof PipelineFailure)) return describe(error);
  const { failure } = error;
  return failure.kind === 'command' ? failure.tail.join('\n') : failure.message;
}

/** The network's failure without a client's output that would show it. */
export function networkFailure(what: string, detail: string): PipelineFailure {
  return new PipelineFailure(toFailure('network', what, detail));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? `${String(error.code)} ` : '';
  const cause = error.cause === undefined ? '' : `; ${describe(error.cause)}`;
  return `${code}${error.message}${cause}`;
}

/** The failure of a package client said in the terms of who waits for it: `what` names what was being fetched. */
export function clientFailure(error: unknown, what: string): PipelineFailure {
  if (error instanceof PipelineFailure && error.failure.kind !== 'command') return error;
  const output = outputOf(error);
  const family = familyOf(output);
  const detail = lastLines(output, 6);
  if (family === undefined && error instanceof PipelineFailure) return error;
  return new PipelineFailure(toFailure(family ?? 'network', what, detail));
}

function toFailure(family: 'network' | 'disk' | 'integrity', what: string, detail: string): Failure {
  switch (family) {
    case 'network':
      return {
        kind: 'network',
        message: `could not fetch ${what}; nothing was changed`,
        detail,
        help: 'check the connection, proxy and certificate settings (HTTPS_PROXY, SSL_CERT_FILE, pip.conf), then run again',
      };
    case 'disk':
      return {
        kind: 'disk',
        message: `the disk is full: could not store ${what}; nothing was changed`,
        help: 'free some space (`npx pipeline clean` drops old results), then run again',
      };
    case 'integrity':
      return {
        kind: 'integrity',
        message: `what arrived for ${what} is not what the registry promised`,
        file: what,
        wanted: 'the checksum of the registry',
        found: detail,
        help: 'a proxy or mirror may have altered or cut it; clear the client cache and run again',
      };
  }
}

function lastLines(text: string, count: number): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');
}
