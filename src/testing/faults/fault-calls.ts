import type { LocalBackend, LocalWebhook } from '../../cluster/index.ts';
import { onAbort } from '../../base/index.ts';
import type { FaultRules } from './fault-rules.ts';

/** How hosts end that are in this process. */
const IN_PROCESS = '.in-process.invalid';
/** Where a webhook that is away would listen; nothing is ever sent there. */
const PLACE = { address: '127.0.0.1', port: 443 };

/** A webhook of this process on which the faults of a cluster strike; nobody answers where there is none any more, or not yet. */
export function webhookWithFaults(
  host: string,
  webhook: LocalWebhook | undefined,
  rules: FaultRules,
): LocalWebhook | undefined {
  if (webhook === undefined) return host.endsWith(IN_PROCESS) ? () => Promise.reject(refused()) : undefined;
  return async (path, body, signal) => {
    const fault = rules.strikeCall(path, ['webhookDown', 'webhookSilent']);
    if (fault?.type === 'webhookDown') throw refused();
    if (fault?.type === 'webhookSilent') await silence(signal);
    return webhook(path, body, signal);
  };
}

/** An API server of this process on which they strike. */
export function apiWithFaults(api: LocalBackend | undefined, rules: FaultRules): LocalBackend | undefined {
  if (api === undefined) return undefined;
  return async (request) => {
    if (rules.strikeCall(request.path, ['apiDown']) !== undefined) throw refused();
    return api(request);
  };
}

/** What Node says when nobody listens. */
function refused(): Error {
  const { address, port } = PLACE;
  const error = new Error(`connect ECONNREFUSED ${address}:${port}`);
  return Object.assign(error, { code: 'ECONNREFUSED', syscall: 'connect', ...PLACE });
}

function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else onAbort(signal, stop);
  });
}
