import type { ObjectMeta } from './types/meta/v1.d.ts';

/** Any object of the API, as JSON. Built-in kinds have their own types under `keelson/api/…`. */
export interface ApiObject {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export type { ObjectMeta };
