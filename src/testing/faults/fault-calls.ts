import type { LocalBackend, LocalWebhook } from '../../cluster/index.ts';
import { onAbort } from '../../base/index.ts';
import type { FaultRules } from './fault-rules.ts';

/** The suffix of in-process host names. */
const IN_PROCESS = '.in-process.invalid';
/** The address in the error of a webhook that is down; nothing is ever sent there. */
const PLACE = { address: '127.0.0.1', port: 443 };

/**
 * Injects the faults of a cluster into an in-process webhook; without a webhook, the call fails as if nothing listened.
 */
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

/** Injects the faults of a cluster into an in-process API server. */
export function apiWithFaults(api: LocalBackend | undefined, rules: FaultRules): LocalBackend | undefined {
  if (api === undefined) return undefined;
  return async (request) => {
    if (rules.strikeCall(request.path, ['apiDown']) !== undefined) throw refused();
    return api(request);
  };
}

/** Node's error when nothing listens. */
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
