import { expect, test } from 'vitest';
import { pathAtLine } from './path-at-line.ts';

const TEXT = `apiVersion: v1
metadata:
  labels:
    app: web
spec:
  containers:
  - name: a
    ports:
      - containerPort: 80
        na
  - name: b
    im
  vol
# a comment

st`.split('\n');

test.each([
  ['apiVersion', 0, []],
  ['app', 3, ['metadata', 'labels']],
  ['containers', 5, ['spec']],
  ['first name', 6, ['spec', 'containers', 0]],
  ['ports', 7, ['spec', 'containers', 0]],
  ['containerPort', 8, ['spec', 'containers', 0, 'ports', 0]],
  ['na', 9, ['spec', 'containers', 0, 'ports', 0]],
  ['second name', 10, ['spec', 'containers', 1]],
  ['im', 11, ['spec', 'containers', 1]],
  ['vol', 12, ['spec']],
  ['st', 15, []],
])('the path of %s', (_, index, path) => {
  expect(pathAtLine(TEXT, index)).toEqual(path);
});
