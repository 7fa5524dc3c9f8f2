import type { Observed, Pod } from '../../client/index.ts';
import type { EventRecorder } from '../../kit/index.ts';

/** A volume that pods need on a node while it is attached to others. */
export interface AttachConflict {
  /** By its name in messages. */
  readonly volume: string;
  /** The pods that wait for it. */
  readonly pods: readonly Observed<Pod>[];
  /** Where it is attached. */
  readonly present: readonly { readonly spec: { readonly nodeName: string } }[];
  readonly wanted: ReadonlyMap<string, readonly Observed<Pod>[]>;
}

/** Records events on the waiting pods that name the pods which use the volume. */
export function recordConflict({ volume, pods, present, wanted }: AttachConflict, events: EventRecorder): void {
  const users = present.flatMap(({ spec }) => wanted.get(spec.nodeName) ?? []);
  for (const pod of pods) {
    const message = `Multi-Attach error for volume "${volume}" ${usersText(pod, users)}`;
    events.event(pod, { type: 'Warning', reason: 'FailedAttachVolume', message });
  }
}

function usersText({ metadata }: Observed<Pod>, users: readonly Observed<Pod>[]): string {
  if (users.length === 0) return "Volume is already exclusively attached to one node and can't be attached to another";
  const here = users.filter((user) => user.metadata.namespace === metadata.namespace);
  const names = here.map((user) => user.metadata.name).join(', ');
  const elsewhere = `${users.length - here.length} pod(s) in different namespaces`;
  if (here.length === 0) return `Volume is already used by ${elsewhere}`;
  return `Volume is already used by pod(s) ${names}${here.length < users.length ? ` and ${elsewhere}` : ''}`;
}
