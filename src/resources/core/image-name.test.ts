import { expect, test } from 'vitest';
import { defaultPullPolicy, imageTag } from './image-name.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  ['nginx', 'latest'],
  ['nginx:1.27', '1.27'],
  ['localhost:5000/team/app', 'latest'],
  ['Example.com/team/app:v1', 'v1'],
  [`nginx@${DIGEST}`, undefined],
  [`nginx:1.27@${DIGEST}`, '1.27'],
  ['a'.repeat(64), undefined],
  ['UPPER', undefined],
  ['nginx:', undefined],
  ['', undefined],
])('the tag of "%s" is %s', (image, tag) => {
  expect(imageTag(image)).toBe(tag);
});

test('only images that may change under the same name are always pulled', () => {
  expect(['nginx', 'nginx:latest', 'nginx:1', `nginx@${DIGEST}`].map(defaultPullPolicy)).toEqual([
    'Always',
    'Always',
    'IfNotPresent',
    'IfNotPresent',
  ]);
});
