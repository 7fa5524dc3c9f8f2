import { expect, test } from 'vitest';
import { type InputDefinition, InputPlans, withField } from './input-plans.ts';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 3 },
        tls: { type: 'object', required: ['secret'], properties: { secret: { type: 'string', minLength: 1 } } },
        rules: { type: 'array', items: { type: 'object', properties: { port: { type: 'integer', enum: [80, 81] } } } },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  },
};
const definition: InputDefinition = {
  spec: {
    group: 'acme.dev',
    names: { kind: 'Cache' },
    versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }],
  },
};
const object = { spec: { size: 2, rules: [{ port: 80 }] } };

function plansWith(options: ConstructorParameters<typeof InputPlans>[0]['options']) {
  const objects = [{ name: 'acme.dev/v1 Cache default/web', step: 'create', value: object }];
  return new InputPlans({ definitions: [definition], objects, options, seed: 'explore' });
}

test('each field below spec is changed to each value alone, with what must surround it, and in sequences', () => {
  const { plans } = plansWith({});
  const alone = plans.filter(({ changes, end }) => end === 'back' && changes.length < 3);
  expect(alone.map(({ changes }) => changes)).toEqual(
    expect.arrayContaining([
      [{ field: 'spec.size', value: 3 }],
      [{ field: 'spec.size', value: 1 }],
      [{ field: 'spec.tls', value: { secret: 'web' } }],
      [
        { field: 'spec.tls', value: { secret: 'web' } },
        { field: 'spec.tls.secret', value: 'web-2' },
      ],
      [{ field: 'spec.rules.0.port', value: 81 }],
      [{ field: 'spec.rules.0.port' }],
    ]),
  );
  expect(JSON.stringify(plans)).not.toContain('status');
  expect(plans.filter(({ end }) => end === 'new').map(({ changes }) => changes.at(-1)?.field)).toContain('spec.size');
  expect(plans.some(({ changes }) => changes.length > 3)).toBe(true);
  expect(plansWith({}).plans).toEqual(plans);
});

test('fields are left alone, and get values of the author, where that is said', () => {
  const { plans } = plansWith({ skip: ['Cache spec.tls', '* spec.rules'], values: { 'Cache spec.size': [7] } });
  const changes = plans.flatMap((plan) => plan.changes);
  expect(new Set(changes.map(({ field }) => field))).toEqual(new Set(['spec.size']));
  expect(new Set(changes.map(({ value }) => value))).toEqual(new Set([7]));
});

test('a field is set wherever it is, and removed', () => {
  const web = { metadata: { name: 'web' }, ...object };
  expect(withField(web, { field: 'spec.rules.0.port', value: 81 })).toEqual({
    ...web,
    spec: { size: 2, rules: [{ port: 81 }] },
  });
  expect(withField(web, { field: 'spec.tls.secret', value: 'x' })).toEqual({
    ...web,
    spec: { ...object.spec, tls: { secret: 'x' } },
  });
  expect(withField(web, { field: 'spec.rules' })).toEqual({ ...web, spec: { size: 2 } });
});
