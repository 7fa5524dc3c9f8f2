// Calls from pod to pod, again and again, and what became of them.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CALLERS,
  type CallerName,
  HTTP_PORT,
  NAMESPACE,
  type ServiceName,
  type TalkingPods,
  UDP_PORT,
} from './talking-pods.ts';

const PAUSE_MS = 300;
const CALL_LIMIT_MS = 20_000;
const MAX_EXAMPLES = 5;
/** A forbidden call takes seconds to fail: several are tried at a time. */
const FORBIDDEN_WORKERS = 4;

/**
 * What becomes of a call:
 * - `ok`: the answer that it should get, which for a forbidden pair is none;
 * - `failed`: no answer;
 * - `wrong`: an answer that it must not get: of a server that is not the Service's, of a forbidden server, or that a name does not exist.
 */
export type Verdict = 'ok' | 'failed' | 'wrong';

/** One kind of call. */
interface Probe {
  readonly name: string;
  readonly caller: CallerName;
  readonly service: ServiceName;
  readonly protocol: 'http' | 'udp';
  /** How the server is called: by the name or the address of its Service, or at the address of a pod. */
  readonly by: 'name' | 'address' | 'pod';
}

/** When a call was made, and what it needs. */
interface Failure {
  readonly probe: Probe;
  readonly startMs: number;
  readonly endMs: number;
  readonly message: string;
}

export interface ProbeCounts {
  readonly name: string;
  readonly ok: number;
  /** Calls without an answer that are explained by what was down, or was being replaced. */
  readonly excused: number;
  readonly failed: number;
  readonly wrong: number;
  readonly examples: readonly string[];
}

export interface TrafficOptions {
  /** Whether NetworkPolicies are enforced; forbidden pairs are not tried otherwise. */
  readonly hasPolicies: boolean;
  /** Whether names are resolved. */
  readonly hasNames: boolean;
  /** Why a call may have failed in this time: the part that was down, or what was replaced; undefined when nothing explains it. */
  excuse(probe: Probe, startMs: number, endMs: number): string | undefined;
}

/** Runs the probes again and again until it is stopped. */
export class Traffic {
  readonly #pods: TalkingPods;
  readonly #options: TrafficOptions;
  readonly #probes: readonly Probe[];
  readonly #verdicts = new Map<Probe, Record<Verdict, number>>();
  readonly #failures: Failure[] = [];
  readonly #wrong = new Map<Probe, string[]>();
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(pods: TalkingPods, options: TrafficOptions) {
    this.#pods = pods;
    this.#options = options;
    this.#probes = probesOf(options);
    for (const probe of this.#probes) this.#verdicts.set(probe, { ok: 0, failed: 0, wrong: 0 });
  }

  async start(): Promise<void> {
    const addresses = new Map<CallerName, string>();
    for (const caller of CALLERS) addresses.set(caller, await this.#pods.callerAddress(caller));
    const workers = this.#probes.flatMap((probe) => {
      const count = isForbidden(probe) ? FORBIDDEN_WORKERS : 1;
      return Array.from({ length: count }, () => this.#work(probe, addresses.get(probe.caller) ?? ''));
    });
    this.#running = Promise.all(workers);
  }

  async stop(): Promise<readonly ProbeCounts[]> {
    this.#stop.abort();
    await this.#running;
    return this.#probes.map((probe) => this.#countsOf(probe));
  }

  #countsOf(probe: Probe): ProbeCounts {
    const { ok = 0, wrong = 0 } = this.#verdicts.get(probe) ?? {};
    const failures = this.#failures.filter((failure) => failure.probe === probe);
    const unexplained = failures.filter(
      ({ startMs, endMs }) => this.#options.excuse(probe, startMs, endMs) === undefined,
    );
    const examples = [...(this.#wrong.get(probe) ?? []), ...unexplained.map(({ message }) => message)];
    return {
      name: probe.name,
      ok,
      excused: failures.length - unexplained.length,
      failed: unexplained.length,
      wrong,
      examples: examples.slice(0, MAX_EXAMPLES),
    };
  }

  async #work(probe: Probe, caller: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const startMs = performance.now();
      const { verdict, message } = await this.#call(probe, caller);
      const counts = this.#verdicts.get(probe);
      if (counts !== undefined) counts[verdict]++;
      if (verdict === 'failed') this.#failures.push({ probe, startMs, endMs: performance.now(), message });
      if (verdict === 'wrong') this.#wrong.set(probe, [...(this.#wrong.get(probe) ?? []), message]);
      await sleep(PAUSE_MS);
    }
  }

  async #call(probe: Probe, caller: string): Promise<{ readonly verdict: Verdict; readonly message: string }> {
    const { service, protocol, by } = probe;
    const isTcp = protocol === 'http';
    const [podAddress = ''] = by === 'pod' ? await this.#pods.serverAddresses(service) : [];
    const host = {
      name: `${service}.${NAMESPACE}.svc.cluster.local`,
      address: this.#pods.addressOf(service),
      pod: podAddress,
    }[by];
    if (host === '') return { verdict: 'ok', message: 'the server is being replaced' };
    const podPort = isTcp ? HTTP_PORT : UDP_PORT;
    const port = by === 'pod' ? podPort : isTcp ? 80 : 81;
    const url = `http://${caller}:${HTTP_PORT}/dial?host=${host}&port=${port}&protocol=${protocol}&request=hostname&tries=1`;
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(CALL_LIMIT_MS) });
      return judgeAnswer(probe, await answer.text(), (pod) => this.#pods.isServer(service, pod));
    } catch (error) {
      return { verdict: 'failed', message: `the caller did not answer: ${(error as Error).message}` };
    }
  }
}

function isForbidden({ caller, service }: Pick<Probe, 'caller' | 'service'>): boolean {
  return service === 'closed' && caller === 'stranger';
}

/** What an answer of the caller's `/dial` means. `isServer` tells whether a pod of this name serves the Service. */
export function judgeAnswer(
  probe: Pick<Probe, 'caller' | 'service'>,
  text: string,
  isServer: (pod: string) => boolean,
): { readonly verdict: Verdict; readonly message: string } {
  const message = text.trim().slice(0, 300);
  const server = /"responses":\["([^"]*)"\]/.exec(text)?.[1];
  if (server !== undefined) return { verdict: isForbidden(probe) || !isServer(server) ? 'wrong' : 'ok', message };
  if (message.includes('no such host')) return { verdict: 'wrong', message };
  return { verdict: isForbidden(probe) ? 'ok' : 'failed', message };
}

function probesOf({ hasPolicies, hasNames }: TrafficOptions): readonly Probe[] {
  const probes: Probe[] = [];
  const add = (caller: CallerName, service: ServiceName, by: Probe['by']): void => {
    for (const protocol of ['http', 'udp'] as const)
      probes.push({ name: `${protocol}: ${caller} to ${service} by ${by}`, caller, service, protocol, by });
  };
  for (const by of hasNames ? (['address', 'name'] as const) : (['address'] as const)) {
    add('stranger', 'steady', by);
    add('friend', 'churned', by);
    add('friend', 'closed', by);
  }
  if (hasPolicies) for (const by of ['address', 'pod'] as const) add('stranger', 'closed', by);
  return probes;
}
