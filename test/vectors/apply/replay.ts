import type { VectorKind } from './vector-kind.ts';
import { vectorKinds } from './kinds.ts';
import { pod } from './pod-kind.ts';
import { SequencePlayer } from './sequence-player.ts';
import type { TestServer } from './test-server.ts';
import { digestOf, NAME, NAMESPACE, normalize, normalizeError, type Sequence, type Step } from './vector.ts';

/** Where a replay first differs from what was recorded. */
export interface Difference {
  readonly resource: string;
  readonly step: number;
  readonly request: unknown;
  readonly want: unknown;
  readonly got: unknown;
}

/** Plays a sequence on our server and compares every answer; undefined when all are the same. */
export async function replay(sequence: Sequence, server: TestServer): Promise<Difference | undefined> {
  const { resource, steps, final } = sequence;
  const player = new SequencePlayer(server, kindOf(resource), { name: NAME, namespace: NAMESPACE });
  const start = server.clock.now() / 1000;
  for (const [index, step] of steps.entries()) {
    await server.clock.advance((start + step.at) * 1000 - server.clock.now());
    const reply = await player.play(step.request);
    const live = await player.get();
    const object = live.code === 200 ? normalize(live.body, start) : undefined;
    const difference = compare(
      step,
      reply.code < 400 ? { code: reply.code } : { code: reply.code, error: normalizeError(reply.body) },
      object,
    );
    if (difference === undefined) continue;
    const isLast = index === steps.length - 1;
    return {
      resource,
      step: index,
      request: step.request,
      ...difference,
      ...(isLast && reply.code < 400 ? { want: final } : {}),
    };
  }
  return undefined;
}

interface Outcome {
  readonly code: number;
  readonly error?: unknown;
}

function compare(
  step: Step & { readonly after?: unknown },
  outcome: Outcome,
  object: unknown,
): { want: unknown; got: unknown } | undefined {
  const want = { code: step.code, ...(step.error === undefined ? {} : { error: step.error }) };
  if (JSON.stringify(want) !== JSON.stringify(outcome)) return { want, got: outcome };
  const digest = object === undefined ? undefined : digestOf(object);
  return digest === step.digest ? undefined : { want: step.after ?? step.digest, got: object };
}

function kindOf(resource: string): VectorKind {
  const kind = [...vectorKinds, pod].find(({ plural }) => plural === resource.slice(0, resource.indexOf('.')));
  if (kind === undefined) throw new Error(`No kind for ${resource}`);
  return kind;
}

/** Removes what a sequence has left behind. */
export async function clean(sequence: Sequence, server: TestServer): Promise<void> {
  const player = new SequencePlayer(server, kindOf(sequence.resource), { name: NAME, namespace: NAMESPACE });
  if ((await player.get()).code === 404) return;
  const type = 'application/merge-patch+json';
  await server.send('PATCH', player.path(), { body: { metadata: { finalizers: null } }, type });
  await server.send('DELETE', player.path(), { body: { gracePeriodSeconds: 0 } });
  await server.clock.advance('2s');
}
