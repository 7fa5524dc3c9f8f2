import type { Pod } from '../api/types/core/v1.d.ts';
import type { Answer, Call } from '../apiserver/index.ts';
import type { Whole } from './kind.ts';

/** Reaches what runs on nodes, for the subresources that only pass something through. */
export interface NodeConnector {
  connect(target: ConnectionTarget, call: Call): Promise<Answer>;
}

export type ConnectionTarget =
  | {
      readonly type: 'exec' | 'attach' | 'log';
      readonly node: string;
      readonly pod: Whole<Pod>;
      readonly container: string;
    }
  | { readonly type: 'portforward'; readonly node: string; readonly pod: Whole<Pod> }
  | { readonly type: 'podproxy'; readonly pod: string; readonly namespace: string; readonly port: string }
  | { readonly type: 'nodeproxy'; readonly node: string }
  | { readonly type: 'serviceproxy'; readonly service: string; readonly namespace: string; readonly port: string };
