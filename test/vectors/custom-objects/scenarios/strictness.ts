import type { FieldValidation, Scenario, Step } from '../scenario.ts';

const text = { type: 'string' } as const;

function everyWay(body: string): Step[] {
  return (['Strict', 'Warn', 'Ignore'] satisfies FieldValidation[]).map((fieldValidation) => ({
    text: body,
    fieldValidation,
  }));
}

const meta = (more: string): string =>
  `{"apiVersion":"strictness.example.dev/v1","kind":"Thing","metadata":{"namespace":"default",${more}`;

export const strictness: readonly Scenario[] = [
  {
    name: 'strictness',
    schema: {
      type: 'object',
      properties: {
        a: text,
        o: { type: 'object', properties: { x: text } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        object: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { x: text } } },
        },
        list: {
          type: 'array',
          items: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
    },
    steps: [
      ...everyWay('{KIND,"spec":{"a":"x","a":"y","z":1,"z":2}}'),
      ...everyWay('{KIND,"spec":{"o":{"y":1,"x":"a","x":"b"},"free":{"k":1,"k":2,"in":{"d":1,"d":1}}},"spec2":1}'),
      ...everyWay(
        `${meta('"name":"s1","nope":1,"labels":{"a":"b","a":"c"},"zero":0')}},"z":1,"b":{"c":1},"spec":{"y":1}}`,
      ),
      ...everyWay(
        '{KIND,"zz":1,"spec":{"object":{"apiVersion":"v1","kind":"X","metadata":{"name":"a","odd":1,"also":{}},"more":1,"spec":{"x":"1","y":2}},"b":1}}',
      ),
      ...everyWay(
        '{KIND,"spec":{"list":[{"apiVersion":"v1","kind":"X","metadata":{"odd":1},"more":1},{"apiVersion":"v1","kind":"Y","metadata":{"labels":{"a":"b"},"zz":1}}],"a":1,"zzz":1}}',
      ),
      ...everyWay('{KIND,"kind":"Thing","spec":{}}'),
      ...everyWay(
        `${meta('"name":"s2","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","odd":1}]')}},"spec":{}}`,
      ),
      { text: `${meta('"name":"s3","labels":5')}},"spec":{}}` },
      { text: `${meta('"name":5')}},"spec":{}}` },
      { text: `${meta('"name":"s4","creationTimestamp":"x"')}},"spec":{}}` },
      { text: `${meta('"name":"s5","creationTimestamp":null,"annotations":null,"finalizers":[]')}},"spec":{}}` },
      { text: '{KIND,"spec":{"object":{"apiVersion":5,"kind":"X"}}}' },
      { text: '{KIND,"spec":{"object":{"apiVersion":"v1","kind":null}}}' },
      { text: '{KIND,"spec":{"object":{"apiVersion":"v1","kind":"X","metadata":"x"}}}' },
      { text: '{KIND,"spec":{"object":{"apiVersion":"v1","kind":"X","metadata":{"labels":{"a":1}}}}}' },
      { text: '{KIND,"spec":{"list":[{"apiVersion":"v1","kind":"X"},{"apiVersion":"v1","kind":{}}]}}' },
      ...(['Strict', 'Warn', 'Ignore'] satisfies FieldValidation[]).map((fieldValidation) => ({
        yaml: 'KIND\nspec:\n  a: x\n  z: 1\n  a: y\n  o: {x: b, y: 2}\nodd: true\n',
        fieldValidation,
      })),
      { yaml: 'KIND\nspec:\n  a: 1.5\n  free: {t: 2024-01-01, n: 0x10, y: yes, f: 1e3, 5: x}\n' },
      { text: '{KIND,"spec":{"a":"x"}' },
      { text: '{KIND,"spec":{"a":"x",}}' },
    ],
  },
  {
    name: 'many unknown fields',
    schema: { type: 'object', properties: { a: text } },
    steps: [
      {
        create: Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`u${index}`, index])),
        fieldValidation: 'Strict',
      },
      { create: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`u${index}`, index])) },
    ],
  },
];
