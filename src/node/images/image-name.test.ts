import { expect, test } from 'vitest';
import { fullRepositoryOf, imageNameProblem, repositoryOf } from './image-name.ts';

test.each([
  ['nginx', 'nginx'],
  ['nginx:1.29', 'nginx'],
  ['quay.io:5000/team/web_x/y:1@sha256:'.concat('a'.repeat(64)), 'quay.io:5000/team/web_x/y'],
  ['localhost/a--b', 'localhost/a--b'],
  ['[::1]:5000/a', '[::1]:5000/a'],
])('%s is the name of an image of %s', (image, repository) => {
  expect(imageNameProblem(image)).toBe(undefined);
  expect(repositoryOf(image)).toBe(repository);
});

test.each([
  ['', 'invalid reference format'],
  ['a b', 'invalid reference format'],
  ['FAILED_IMAGE', 'repository name must be lowercase'],
  ['a:', 'invalid reference format'],
  ['a@sha256:12', 'invalid reference format'],
  ['a'.repeat(256), 'repository name must not be more than 255 characters'],
])('%s is not: %s', (image, reason) => {
  expect(imageNameProblem(image)).toBe(`couldn't parse image name ${JSON.stringify(image)}: ${reason}`);
});

test.each([
  ['nginx', 'docker.io/library/nginx'],
  ['team/web:1', 'docker.io/team/web'],
  ['index.docker.io/nginx:1', 'docker.io/library/nginx'],
  ['r.example.com:5000/team/web:1.2', 'r.example.com:5000/team/web'],
  [`localhost/web@sha256:${'a'.repeat(64)}`, 'localhost/web'],
])('credential providers are asked about %s by its whole repository, as by a kubelet', (image, repository) => {
  expect(fullRepositoryOf(image)).toBe(repository);
});
