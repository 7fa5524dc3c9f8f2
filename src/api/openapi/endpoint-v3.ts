import { reference } from './json-schema.ts';
import { ownParameters, sharedParameters } from './operation.ts';
import type { Endpoint, Operation, Parameter } from './operation.ts';
import { jsonList, jsonObject, kubernetesMembers, responsesText } from './operation-text.ts';

/** Writes paths as JSON, in the way of OpenAPI v3. */
export class EndpointsV3 {
  readonly #parameters = new WeakMap<Parameter, string>();

  write({ operations }: Endpoint): string {
    const shared = sharedParameters(operations);
    const item: Record<string, string | undefined> = {};
    for (const operation of operations)
      item[operation.method] = this.#operation(operation, ownParameters(operation, shared));
    item['parameters'] = this.#list(shared);
    return jsonObject(item);
  }

  #operation(operation: Operation, parameters: readonly Parameter[]): string {
    const { tag, description, id, body, answer } = operation;
    const schema = answer === 'text' ? '{"type":"string"}' : schemaReference(answer.name);
    return jsonObject({
      tags: `[${JSON.stringify(tag)}]`,
      description: JSON.stringify(description),
      operationId: JSON.stringify(id),
      parameters: this.#list(parameters),
      requestBody:
        body === undefined
          ? undefined
          : jsonObject({
              content: content(operation.consumes, schemaReference(body.type.name)),
              required: body.isRequired ? 'true' : undefined,
            }),
      responses: responsesText(operation, `"content":${content(operation.produces, schema)}`),
      ...kubernetesMembers(operation),
    });
  }

  #list(parameters: readonly Parameter[]): string | undefined {
    return jsonList(parameters.map((parameter) => this.#parameter(parameter)));
  }

  #parameter(parameter: Parameter): string {
    let text = this.#parameters.get(parameter);
    if (text === undefined) this.#parameters.set(parameter, (text = JSON.stringify(parameterV3(parameter))));
    return text;
  }
}

function content(mediaTypes: readonly string[], schema: string): string {
  const members = [...mediaTypes].sort().map((mediaType) => `"${mediaType}":{"schema":${schema}}`);
  return `{${members.join(',')}}`;
}

function schemaReference(name: string): string {
  return `{"$ref":${JSON.stringify(reference(name, 'v3'))}}`;
}

function parameterV3(parameter: Parameter): unknown {
  return {
    name: parameter.name,
    in: parameter.in,
    description: parameter.description,
    required: parameter.in === 'path' ? true : undefined,
    schema: { type: parameter.type, uniqueItems: true },
  };
}
