import type { DeepReadonly } from '../../../base/index.ts';
import type { PersistentVolume } from '../../types/core/v1.d.ts';
import { anyTerm, type NodeTest } from '../node-selector.ts';

/** The nodes that can reach a volume; undefined for all. Only checks labels. */
export function volumeNodes({ spec }: DeepReadonly<PersistentVolume>): NodeTest | undefined {
  const { required } = spec?.nodeAffinity ?? {};
  if (required === undefined) return undefined;
  const test = anyTerm(required);
  return ({ metadata }) => test({ metadata: { labels: metadata?.labels ?? {} } });
}
