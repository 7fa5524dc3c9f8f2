import type { Pod } from '../../../api/types/core/v1.d.ts';
import { hasReason } from '../../../api/client.ts';
import type { SchedulerState } from '../../protocol.ts';
import type { AskedMap } from './asked-map.ts';
import { readItems } from './read-list.ts';

interface Attempt {
  readonly namespace: string;
  readonly pod: string;
  readonly time: string;
  readonly schedulerName: string;
  readonly node?: string;
  readonly message?: string;
  readonly outcome?: string;
  readonly scores: readonly { readonly byPlugin: Readonly<Record<string, number>> }[];
  readonly rejections: readonly { readonly by: string }[];
  readonly extenders: readonly { readonly extender: string; readonly verb: string }[];
}

/** Schedulers by the names that pods ask for, with what recent decisions show of their plugins and extenders. */
export async function schedulers(asked: AskedMap): Promise<readonly SchedulerState[]> {
  const attempts = await recentAttempts(asked);
  const pods = attempts === undefined ? await readItems<Pod>(asked, '/api/v1/pods') : [];
  const names = new Set([
    ...(attempts ?? []).map(({ schedulerName }) => schedulerName),
    ...pods.map(({ spec }) => spec?.schedulerName ?? 'default-scheduler'),
    'default-scheduler',
  ]);
  return [...names].sort().map((schedulerName) => {
    const own = attempts?.filter((attempt) => attempt.schedulerName === schedulerName);
    const [scoring, filtering] = [
      own?.flatMap(({ scores }) => scores.flatMap(({ byPlugin }) => Object.keys(byPlugin))),
      own?.flatMap(({ rejections }) => rejections.map(({ by }) => by)),
    ];
    const extenders = new Map<string, Set<string>>();
    for (const { extender, verb } of own?.flatMap((attempt) => attempt.extenders) ?? [])
      extenders.set(extender, (extenders.get(extender) ?? new Set()).add(verb));
    return {
      name: schedulerName,
      profiles: [
        {
          schedulerName,
          ...(own === undefined || own.length === 0
            ? {}
            : { plugins: { filter: [...new Set(filtering)], score: [...new Set(scoring)] } }),
        },
      ],
      ...(extenders.size === 0
        ? {}
        : { extenders: [...extenders].map(([url, verbs]) => ({ url, verbs: [...verbs] })) }),
      ...(own === undefined
        ? {}
        : {
            decisions: own.map(({ namespace, pod, time, node, message, outcome }) => {
              const text = message ?? outcome;
              return {
                namespace,
                pod,
                time,
                ...(node === undefined ? {} : { node }),
                ...(text === undefined ? {} : { message: text }),
              };
            }),
          }),
    };
  });
}

/** Undefined where the scheduler is elsewhere, or the viewer may not see its decisions. */
async function recentAttempts({ client, signal }: AskedMap): Promise<readonly Attempt[] | undefined> {
  try {
    const { items } = (await client.request({ method: 'GET', path: '/keelson/scheduling', signal })) as {
      readonly items: readonly Attempt[];
    };
    return items;
  } catch (error) {
    if (hasReason(error, 'NotFound') || hasReason(error, 'Forbidden')) return undefined;
    throw error;
  }
}
