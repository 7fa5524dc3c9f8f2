import type { TypeTable } from '../../api/index.ts';
import type { Clock, Random } from '../../base/index.ts';
import type { Store } from '../../store/index.ts';
import type { CodecFor } from '../other-objects.ts';

/** What admission plugins need of a server. */
export interface AdmissionParts {
  readonly store: Store;
  readonly codecFor: CodecFor;
  readonly types: TypeTable;
  readonly clock: Clock;
  readonly random: Random;
}
