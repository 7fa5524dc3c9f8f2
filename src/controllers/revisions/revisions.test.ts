import { describe, expect, test } from 'vitest';
import {
  byRevision,
  dataOfTemplate,
  isSameData,
  nextRevision,
  type Revision,
  revisionHash,
  templateOfData,
} from './index.ts';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };

function revision(name: string, number: number, second = 0): Revision {
  const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
  const metadata = { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp };
  return { kind: 'ControllerRevision', apiVersion: 'apps/v1', metadata, revision: number };
}

describe('the data of a revision', () => {
  test('is a patch that replaces any template', () => {
    const data = dataOfTemplate(template);
    expect(JSON.stringify(data)).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"image":"nginx","name":"c"}]}}}}',
    );
    expect(templateOfData(data)).toEqual(template);
    expect(templateOfData({ other: true })).toBeUndefined();
  });

  test('is the same in any order of members, and with the creation time that older servers wrote', () => {
    const older = {
      spec: {
        template: {
          spec: template.spec,
          metadata: { creationTimestamp: null, labels: { app: 'web' } },
          $patch: 'replace',
        },
      },
    };
    expect(isSameData(dataOfTemplate(template), older)).toBe(true);
    expect(isSameData(dataOfTemplate(template), dataOfTemplate({ ...template, metadata: {} }))).toBe(false);
    expect(isSameData(undefined, { spec: {} })).toBe(false);
  });
});

test('the hash of data and a number of collisions is as in Kubernetes', () => {
  const hashes = [revisionHash({}, 0), revisionHash({}, 1), revisionHash({ a: 1 }, 0)];
  expect(hashes).toEqual(['cccc864bc', 'cccc864bb', 'd55c4ff5f']);
});

test('revisions are ordered by number, age and name', () => {
  const sorted = [revision('d', 3), revision('c', 2, 1), revision('b', 2), revision('a', 2)].toSorted(byRevision);
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
  expect(nextRevision(sorted)).toBe(4);
  expect(nextRevision([])).toBe(1);
});
