// Names of images, such as `registry.example:5000/team/web:1.2@sha256:…`.
const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const TAG = '\\w[\\w.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const NAME = new RegExp(`^((?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*)(?::(${TAG}))?(?:@(${DIGEST}))?$`);
const MAX_NAME_LENGTH = 255;

/** Why a text is not the name of an image; undefined when it is one. */
export function imageNameProblem(image: string): string | undefined {
  const parts = NAME.exec(image);
  if (parts !== null) {
    return (parts[1] ?? '').length > MAX_NAME_LENGTH
      ? problem(image, 'repository name must not be more than 255 characters')
      : undefined;
  }
  return NAME.test(image.toLowerCase())
    ? problem(image, 'repository name must be lowercase')
    : problem(image, 'invalid reference format');
}

function problem(image: string, reason: string): string {
  return `couldn't parse image name ${JSON.stringify(image)}: ${reason}`;
}

/** The name without tag and digest. */
export function repositoryOf(image: string): string {
  return NAME.exec(image)?.[1] ?? image;
}

const DEFAULT_REGISTRY = 'docker.io';

/** The name without tag and digest, with the registry that it stands for: `docker.io/library/nginx` for `nginx:1`. */
export function fullRepositoryOf(image: string): string {
  const repository = repositoryOf(image);
  const [first = '', ...rest] = repository.split('/');
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (hasRegistry && first !== DEFAULT_REGISTRY && first !== `index.${DEFAULT_REGISTRY}`) return repository;
  const path = hasRegistry ? rest.join('/') : repository;
  return `${DEFAULT_REGISTRY}/${path.includes('/') ? path : `library/${path}`}`;
}
