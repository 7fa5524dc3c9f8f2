import * as health from '../protocol/dra-health-v1alpha1.ts';
import * as v1 from '../protocol/dra-v1.ts';
import * as v1beta1 from '../protocol/dra-v1beta1.ts';

/** The protocols between nodes and DRA drivers. */
export const draProtocols = { v1, v1beta1, health } as const;
