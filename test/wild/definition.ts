// Definitions and schemas as their files have them: nothing has been checked.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = Record<string, any>;

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
}

export interface Definition extends Json {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly DefinedVersion[];
  };
}

export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
}
