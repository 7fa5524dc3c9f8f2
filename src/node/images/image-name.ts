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
