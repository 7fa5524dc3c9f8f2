import { deepEqual, messageOf, type Random, SeededRandom } from '../../base/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import { generateSample } from './generate-sample.ts';
import type { ResourceVersion } from './resource-version.ts';

/** How many objects a round trip converts, and from which seed they are generated. */
export interface RoundTripOptions {
  /** Number of objects generated for each version and direction; default 100. */
  readonly runs?: number;
  /** The same seed generates the same objects; default 'keelson'. */
  readonly seed?: string;
}

/** Something that a conversion there and back does not preserve. */
export interface RoundTripLoss {
  /** The version of the generated object, and the one it was converted to. */
  readonly from: string;
  readonly through: string;
  /** The field, with `[*]` for items of lists; empty when the conversion failed. */
  readonly path: string;
  readonly problem: 'lost' | 'changed' | 'added' | 'refused' | 'failed' | 'untried';
  readonly before?: unknown;
  readonly after?: unknown;
  /** The message of the server or of the thrown error. */
  readonly message?: string;
  /** The first object that showed it; for `untried`, the last one that the kind's own rules refused. */
  readonly example: KubernetesObject;
}

/** The number of objects that were converted there and back, and what was lost. */
export interface RoundTripReport {
  /** Objects that were converted both ways. */
  readonly tried: number;
  /** Generated objects that the kind's own rules refused. */
  readonly discarded: number;
  readonly losses: readonly RoundTripLoss[];
}

/** What a round trip needs of the kind. */
export interface RoundTripKind {
  readonly kind: string;
  readonly group: string;
  readonly newest: ResourceVersion;
  readonly older: readonly ResourceVersion[];
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject;
  /** The object as a server would store it; throws if it would refuse it. */
  parse(object: KubernetesObject): Promise<KubernetesObject>;
}

/** Objects generated, for each one wanted, before the rules of a kind count as impossible to satisfy. */
const MAX_TRIES = 20;

export async function checkRoundTrip(kind: RoundTripKind, options: RoundTripOptions): Promise<RoundTripReport> {
  const random = new SeededRandom(options.seed ?? 'keelson');
  const losses = new Map<string, RoundTripLoss>();
  const counts = { tried: 0, discarded: 0 };
  for (const older of kind.older) {
    for (const [from, through] of [
      [older, kind.newest],
      [kind.newest, older],
    ] as const) {
      for (let run = 0; run < (options.runs ?? 100); run++) {
        const way = { from: from.name, through: through.name };
        const made = await sampleObject(kind, from, random);
        counts.discarded += made.discarded;
        if (made.isGood) counts.tried += 1;
        const { object, message } = made;
        const found = made.isGood
          ? await lossesOf(kind, object, way)
          : [{ ...way, path: '', problem: 'untried' as const, message, example: object }];
        for (const loss of found) {
          const id = `${loss.from} ${loss.through} ${loss.path} ${loss.problem}`;
          if (!losses.has(id)) losses.set(id, loss);
        }
        if (!made.isGood) break;
      }
    }
  }
  return { ...counts, losses: [...losses.values()] };
}

interface Sample {
  readonly object: KubernetesObject;
  readonly isGood: boolean;
  readonly discarded: number;
  /** Why the last one was discarded. */
  readonly message?: string;
}

async function sampleObject(kind: RoundTripKind, version: ResourceVersion, random: Random): Promise<Sample> {
  const { spec = {}, status } = version.schema.properties ?? {};
  let refused: Sample = { object: {}, isGood: false, discarded: 0 };
  while (refused.discarded < MAX_TRIES) {
    const object = {
      apiVersion: `${kind.group}/${version.name}`,
      kind: kind.kind,
      metadata: { name: 'made-up' },
      spec: generateSample(spec, random),
      ...(status === undefined ? {} : { status: generateSample(status, random) }),
    };
    try {
      return { object: await kind.parse(object), isGood: true, discarded: refused.discarded };
    } catch (error) {
      refused = { object, isGood: false, discarded: refused.discarded + 1, message: messageOf(error) };
    }
  }
  return refused;
}

async function lossesOf(
  kind: RoundTripKind,
  object: KubernetesObject,
  way: { readonly from: string; readonly through: string },
): Promise<readonly RoundTripLoss[]> {
  const steps = [way.through, way.from];
  let at = object;
  for (const version of steps) {
    let converted: KubernetesObject;
    try {
      converted = kind.convert(at, `${kind.group}/${version}`);
    } catch (error) {
      return [{ ...way, path: '', problem: 'failed', message: messageOf(error), example: object }];
    }
    try {
      at = await kind.parse(converted);
    } catch (error) {
      return [{ ...way, path: '', problem: 'refused', message: messageOf(error), example: object }];
    }
  }
  return [...differences(object, at, '')].map((difference) => ({ ...way, ...difference, example: object }));
}

type Difference = Pick<RoundTripLoss, 'path' | 'problem' | 'before' | 'after'>;

function* differences(before: unknown, after: unknown, path: string): Generator<Difference> {
  if (deepEqual(before, after)) return;
  if (isRecord(before) && isRecord(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* differences(before[name], after[name], path === '' ? name : `${path}.${name}`);
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, item] of before.entries()) yield* differences(item, after[index], `${path}[*]`);
  } else if (after === undefined) yield { path, problem: 'lost', before };
  else if (before === undefined) yield { path, problem: 'added', after };
  else yield { path, problem: 'changed', before, after };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
