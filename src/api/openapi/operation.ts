import type { GroupVersionKind } from '../schema/schema.ts';
import type { DocumentedType, HttpMethod } from './served-resource.ts';

/** A path of the server and its operations, independent of the OpenAPI version. */
export interface Endpoint {
  readonly path: string;
  readonly operations: readonly Operation[];
}

export interface Operation {
  readonly method: HttpMethod;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly type: DocumentedType; readonly isRequired: boolean };
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** The type of a successful response; `text` if it is not an object. */
  readonly answer: DocumentedType | 'text';
  /** The status codes of success; 401 is always possible. */
  readonly codes: readonly number[];
  /** The name of the action in Kubernetes, and its kind; only for resources. */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: string;
  readonly description: string | undefined;
}

/** The descriptions of status codes in the documents. */
export const codeDescriptions: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
};

/** The parameters that all operations of an endpoint share; written once, for the path. */
export function sharedParameters(operations: readonly Operation[]): readonly Parameter[] {
  const [first, ...rest] = operations;
  const shared = first?.parameters.filter((parameter) =>
    rest.every((operation) => has(operation.parameters, parameter)),
  );
  return (shared ?? []).sort(byName);
}

/** The parameters of one operation that are not shared by all. */
export function ownParameters(operation: Operation, shared: readonly Parameter[]): readonly Parameter[] {
  return operation.parameters.filter((parameter) => !has(shared, parameter)).sort(byName);
}

function has(parameters: readonly Parameter[], { name, in: place }: Parameter): boolean {
  return parameters.some((parameter) => parameter.name === name && parameter.in === place);
}

function byName(a: Parameter, b: Parameter): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.in === b.in ? 0 : a.in < b.in ? -1 : 1;
}
