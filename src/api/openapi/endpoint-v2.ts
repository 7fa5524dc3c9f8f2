import { Member } from './document.ts';
import { reference } from './json-schema.ts';
import { ownParameters, sharedParameters } from './operation.ts';
import type { Endpoint, Operation, Parameter } from './operation.ts';
import { jsonList, jsonObject, kubernetesMembers, responsesText } from './operation-text.ts';
import { sharedName } from './shared-parameter.ts';

/** The parameters that paths refer to, by name. */
export type SharedParameters = Map<string, Member>;

/** Writes paths as JSON, in the way of OpenAPI v2. Parameters that many paths have are written once, on their own. */
export class EndpointsV2 {
  readonly #parameters = new WeakMap<Parameter, WrittenParameter>();
  readonly #bodies = {
    required: new WeakMap<object, WrittenParameter>(),
    optional: new WeakMap<object, WrittenParameter>(),
  };

  /** One path; the parameters that it refers to are added to `collected`. */
  write({ operations }: Endpoint, collected: SharedParameters): string {
    const shared = sharedParameters(operations);
    const write = (parameter: Parameter): string => use(this.#parameter(parameter), collected);
    const item: Record<string, string | undefined> = {};
    for (const operation of operations) {
      const parameters = ownParameters(operation, shared).map(write);
      if (operation.body !== undefined) parameters.unshift(use(this.#body(operation.body), collected));
      item[operation.method] = operationV2(operation, jsonList(parameters));
    }
    item['parameters'] = jsonList(shared.map(write));
    return jsonObject(item);
  }

  #parameter(parameter: Parameter): WrittenParameter {
    let written = this.#parameters.get(parameter);
    if (written === undefined) this.#parameters.set(parameter, (written = writtenParameter(parameterV2(parameter))));
    return written;
  }

  #body(body: NonNullable<Operation['body']>): WrittenParameter {
    const bodies = this.#bodies[body.isRequired ? 'required' : 'optional'];
    let written = bodies.get(body.type);
    if (written === undefined) bodies.set(body.type, (written = writtenParameter(bodyParameter(body))));
    return written;
  }
}

interface WrittenParameter {
  readonly text: string;
  /** Set when it is written on its own, and referred to. */
  readonly shared: Member | undefined;
}

function writtenParameter(parameter: Readonly<Record<string, unknown>>): WrittenParameter {
  const text = JSON.stringify(parameter);
  const name = sharedName(parameter, text);
  return { text, shared: name === undefined ? undefined : new Member(name, text) };
}

function use({ text, shared }: WrittenParameter, collected: SharedParameters): string {
  if (shared === undefined) return text;
  collected.set(shared.name, shared);
  return `{"$ref":"#/parameters/${shared.name}"}`;
}

function operationV2(operation: Operation, parameters: string | undefined): string {
  const { description, consumes, produces, tag, id, answer } = operation;
  const schema = answer === 'text' ? '{"type":"string"}' : JSON.stringify({ $ref: reference(answer.name, 'v2') });
  return jsonObject({
    description: JSON.stringify(description),
    consumes: consumes.length === 0 ? undefined : JSON.stringify(consumes),
    produces: JSON.stringify(produces),
    schemes: '["https"]',
    tags: `[${JSON.stringify(tag)}]`,
    operationId: JSON.stringify(id),
    parameters,
    responses: responsesText(operation, `"schema":${schema}`),
    ...kubernetesMembers(operation),
  });
}

function bodyParameter(body: NonNullable<Operation['body']>): Readonly<Record<string, unknown>> {
  return {
    name: 'body',
    in: 'body',
    ...(body.isRequired ? { required: true } : {}),
    schema: { $ref: reference(body.type.name, 'v2') },
  };
}

function parameterV2(parameter: Parameter): Readonly<Record<string, unknown>> {
  return {
    uniqueItems: true,
    type: parameter.type,
    description: parameter.description,
    name: parameter.name,
    in: parameter.in,
    ...(parameter.in === 'path' ? { required: true } : {}),
  };
}
