import { resourceName } from '../cluster/resource-kind.ts';
import type { TabProps } from '../object/tab-props.ts';
import { CauseGraphView } from './cause-graph-view.tsx';

/** What led to the object as it is, and what it led to. */
export function CausesTab({ kind, object }: TabProps) {
  const { namespace, name, uid } = object.metadata ?? {};
  return <CauseGraphView query={{ resource: resourceName(kind), namespace, name, uid }} />;
}
