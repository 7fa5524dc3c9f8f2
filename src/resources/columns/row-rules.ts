import type { Resource } from '../../apiserver/index.ts';
import { byPrecedence } from './flowcontrol-columns.ts';
import { podRowConditions } from './pod-columns.ts';

/** What a kind says about whole rows of its tables, and about their order. */
export type RowRules = Pick<Resource, 'rowConditions' | 'compareRows'>;

export function rowRulesFor(group: string, kind: string): RowRules {
  if (group === '' && kind === 'Pod') return { rowConditions: podRowConditions };
  if (group === 'flowcontrol.apiserver.k8s.io' && kind === 'FlowSchema') return { compareRows: byPrecedence };
  return {};
}
