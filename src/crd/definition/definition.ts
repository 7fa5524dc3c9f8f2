import type { ObjectMeta } from '../../api/index.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from '../../api/types/apiextensions/v1.d.ts';

/** A definition as its checks see it: decoded and defaulted, in version v1. */
export interface Definition extends CustomResourceDefinition {
  metadata: ObjectMeta;
  spec: CustomResourceDefinitionSpec;
  status: CustomResourceDefinitionStatus;
}

export type { JSONSchemaProps as Schema } from '../../api/types/apiextensions/v1.d.ts';
