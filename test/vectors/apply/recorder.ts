import type { Chance } from './chance.ts';
import type { VectorKind } from './vector-kind.ts';
import type { KubeClient } from './kube-client.ts';
import { StepMaker } from './random-step.ts';
import { MEDIA_TYPES, SequencePlayer } from './sequence-player.ts';
import {
  digestOf,
  NAME,
  NAMESPACE,
  normalize,
  normalizeError,
  type Sequence,
  type Step,
  type StepRequest,
} from './vector.ts';

export interface RecorderOptions {
  readonly chance: Chance;
  readonly namespace: string;
  readonly client: KubeClient;
  /** Keep the object after every step, to look at. */
  readonly isFull: boolean;
}

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** Plays the writes of one sequence and notes the answers. */
export class Recorder {
  readonly #kind: VectorKind;
  readonly #chance: Chance;
  readonly #namespace: string;
  readonly #name: string;
  readonly #client: KubeClient;
  readonly #isFull: boolean;
  readonly #player: SequencePlayer;
  #start = 0;
  #at = 0;

  constructor(kind: VectorKind, { chance, namespace, client, isFull }: RecorderOptions) {
    this.#kind = kind;
    this.#chance = chance;
    this.#namespace = namespace;
    this.#name = `${namespace}-object`;
    this.#client = client;
    this.#isFull = isFull;
    this.#player = new SequencePlayer(client, kind, { name: this.#name, namespace });
  }

  async run(): Promise<Sequence> {
    await this.#remove();
    const maker = new StepMaker(this.#chance, this.#kind);
    const steps: Step[] = [];
    let live: Record<string, unknown> | undefined;
    for (let left = this.#chance.between(4, 8); left > 0; left--) {
      if (live !== undefined && this.#chance.percent(6)) await nextSecond();
      const request = maker.next(live);
      const reply = await this.#player.play(this.#real(request) as StepRequest);
      const seen = await this.#player.get();
      live = seen.code === 200 ? seen.body : undefined;
      const { code } = reply;
      const at = this.#noteTime(live);
      const error = code >= 400 ? { error: this.#neutral(normalizeError(reply.body)) } : {};
      const after = live === undefined ? undefined : this.#neutral(normalize(live, this.#start));
      const digest = after === undefined ? {} : { digest: digestOf(after) };
      steps.push({
        request: this.#neutral(request) as StepRequest,
        at,
        code,
        ...error,
        ...digest,
        ...(this.#isFull ? { after } : {}),
      });
    }
    const final = live === undefined ? null : this.#neutral(normalize(live, this.#start));
    await this.#remove();
    const group = this.#kind.apiVersion.includes('/') ? (this.#kind.apiVersion.split('/')[0] ?? '') : '';
    return { resource: `${this.#kind.plural}.${group}`, steps, final };
  }

  /** The newest time in managedFields is when the last step happened that changed them. */
  #noteTime(live: Record<string, unknown> | undefined): number {
    const metadata = live?.['metadata'] as
      | { managedFields?: { time?: string }[]; creationTimestamp?: string }
      | undefined;
    if (this.#start === 0 && metadata?.creationTimestamp !== undefined)
      this.#start = Date.parse(metadata.creationTimestamp) / 1000;
    for (const { time } of metadata?.managedFields ?? []) {
      if (time !== undefined) this.#at = Math.max(this.#at, Date.parse(time) / 1000 - this.#start);
    }
    return this.#at;
  }

  async #remove(): Promise<void> {
    if ((await this.#player.get()).code === 404) return;
    await this.#client.send('PATCH', this.#player.path(), {
      body: { metadata: { finalizers: null } },
      type: MEDIA_TYPES.merge,
    });
    await this.#client.send('DELETE', this.#player.path(), {
      body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' },
    });
    await this.#client.send('PATCH', this.#player.path(), {
      body: { metadata: { finalizers: null } },
      type: MEDIA_TYPES.merge,
    });
  }

  /** With the names of this run in place of those in vectors, and back. */
  #real(body: unknown): unknown {
    return JSON.parse(JSON.stringify(body), (key, value: unknown) =>
      key === 'name' && value === NAME
        ? this.#name
        : key === 'namespace' && value === NAMESPACE
          ? this.#namespace
          : key === ANNOTATION && typeof value === 'string'
            ? value.replaceAll(`"name":"${NAME}"`, `"name":"${this.#name}"`)
            : value,
    );
  }

  #neutral(value: unknown): unknown {
    if (value === undefined) return undefined;
    return JSON.parse(JSON.stringify(value).replaceAll(this.#name, NAME).replaceAll(this.#namespace, NAMESPACE));
  }
}

function nextSecond(): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, 1001 - (Date.now() % 1000));
  });
}
