import { describeError } from '../../base/index.ts';
import { type Client, ConfigMap } from '../../client/index.ts';
import type { DelegatedAuthentication } from './delegated-authentication.ts';

const NAMESPACE = 'kube-system';
const NAME = 'extension-apiserver-authentication';
const REFRESH_MS = 60_000;
const RETRY_MS = 1000;

/**
 * Reads which front proxies and client certificates the cluster trusts, and retries until it succeeds: before that no
 * caller can be authenticated.
 */
export async function readTrust(
  client: Client,
  authentication: DelegatedAuthentication,
  signal: AbortSignal,
): Promise<void> {
  const configMaps = client.kind(ConfigMap).namespace(NAMESPACE);
  while (!signal.aborted) {
    try {
      authentication.trust(await configMaps.get(NAME, { signal }));
      return;
    } catch (error) {
      if (signal.aborted) return;
      client.log.warn('cannot read whom to trust', { configMap: NAME, error: describeError(error) });
      await client.clock.sleep(RETRY_MS, signal);
    }
  }
}

/** Reads it again periodically. */
export async function followTrust(
  client: Client,
  authentication: DelegatedAuthentication,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await client.clock.sleep(REFRESH_MS, signal);
    await readTrust(client, authentication, signal);
  }
}
