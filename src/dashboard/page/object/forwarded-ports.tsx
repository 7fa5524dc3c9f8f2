import { useSignal } from '@preact/signals';
import type { PodForward, PodForwardList, PodForwardWish } from '../../protocol.ts';
import { sleep } from '../browser/clock.ts';
import { messageOf } from '../cluster/api-error.ts';
import { useRun } from '../parts/use-run.ts';
import { useApp } from '../shell/app-context.ts';

const REFRESH_MS = 3_000;

/** The ports of this machine that lead to pods, kept current, and what opens and closes them. */
export interface ForwardedPorts {
  readonly items: readonly PodForward[];
  open(wish: PodForwardWish): Promise<void>;
  close(id: string): Promise<void>;
}

/** Undefined where the dashboard opens no ports. */
export function useForwardedPorts(): ForwardedPorts | undefined {
  const { connection, notices } = useApp();
  const items = useSignal<readonly PodForward[]>([]);
  const canForward = connection.info.value?.canForward === true;
  const ask = async (signal?: AbortSignal): Promise<void> => {
    ({ items: items.value } = await connection.own<PodForwardList>('forwards', signal === undefined ? {} : { signal }));
  };
  useRun(
    async (signal) => {
      while (canForward && !signal.aborted) {
        await ask(signal).catch(() => undefined); // the banner says that the server is away
        await sleep(REFRESH_MS, signal);
      }
    },
    [connection, canForward, connection.generation.value],
  );
  if (!canForward) return undefined;
  const change = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      await ask();
    } catch (error) {
      notices.add(messageOf(error), { isError: true });
    }
  };
  return {
    items: items.value,
    open: (wish) => change(() => connection.own('forwards', { method: 'POST', body: JSON.stringify(wish) })),
    close: (id) => change(() => connection.own(`forwards/${id}`, { method: 'DELETE' })),
  };
}

/** One open port, with its address and the button that closes it. */
export function ForwardedPort({ forward, ports }: { readonly forward: PodForward; readonly ports: ForwardedPorts }) {
  const { id, pod, port, localPort, connections, problem } = forward;
  const address = `127.0.0.1:${localPort}`;
  return (
    <span class="forwarded">
      <a href={`http://${address}/`} target="_blank" rel="noreferrer noopener">
        {address}
      </a>{' '}
      <small>
        {connections === 1 ? '1 connection' : `${connections} connections`}
        {problem === undefined ? '' : ` · ${problem}`}
      </small>{' '}
      <button
        type="button"
        class="quiet"
        aria-label={`Close the port ${localPort} that leads to ${pod}:${port}`}
        onClick={() => void ports.close(id)}
      >
        close
      </button>
    </span>
  );
}

/** All open ports, whatever they lead to. */
export function ForwardedPortsCard() {
  const ports = useForwardedPorts();
  if (ports === undefined || ports.items.length === 0) return null;
  return (
    <section class="card">
      <h2>Forwarded ports</h2>
      <ul class="rows">
        {ports.items.map((forward) => (
          <li key={forward.id}>
            <span>
              <a href={`#/object/pods/${forward.namespace}/${encodeURIComponent(forward.pod)}`}>
                {forward.namespace}/{forward.pod}
              </a>
              :{forward.port}
            </span>
            <ForwardedPort forward={forward} ports={ports} />
          </li>
        ))}
      </ul>
    </section>
  );
}
