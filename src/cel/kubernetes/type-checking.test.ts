import { expect, test } from 'vitest';
import { builtInTypes, type Struct, structuralKind } from '../../api/index.ts';
import { VariableTypes } from './admission-types.ts';
import { ruleEnvironment } from './custom-resource-rules.ts';
import { typeCheckingEnvironment } from './type-checking.ts';

const types = builtInTypes();
const deployment = types.struct('io.k8s.api.apps.v1.Deployment');
const widget = structuralKind(
  { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
  { group: 'example.dev', version: 'v1', kind: 'Widget' },
  { types },
);

function problem(object: Struct | undefined, text: string): string {
  const environment = typeCheckingEnvironment({ object, hasParams: false, variables: new VariableTypes() });
  const compiled = environment.compile(text);
  return compiled.ok ? 'none' : (compiled.issues.list[0]?.message ?? '');
}

test('policies are checked against the types of built-in and of custom kinds alike', () => {
  expect(problem(deployment, 'object.spec.replicas > 1 && object.metadata.labels.size() > 0')).toBe('none');
  expect(problem(deployment, 'object.spec.replica > 1')).toBe("undefined field 'replica'");
  expect(problem(widget, 'object.spec.size > 1 && object.metadata.labels.size() > 0')).toBe('none');
  expect(problem(widget, 'object.spec.size == "1"')).toContain('found no matching overload');
  expect(problem(undefined, 'object.anything.at.all')).toBe('none');
});

test('rules of a custom kind see the names in its metadata, and nothing else of it', () => {
  const rules = ruleEnvironment({ kind: 'struct', struct: widget });
  expect(rules?.environment.compile('self.metadata.name != self.kind').ok).toBe(true);
  expect(rules?.environment.compile('self.metadata.labels.size() > 0').ok).toBe(false);
});

test('a recursive type ends at its first recursion', () => {
  const definition = types.struct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition');
  expect(problem(definition, 'object.spec.versions.all(v, v.schema.openAPIV3Schema.type == "object")')).toBe('none');
});
