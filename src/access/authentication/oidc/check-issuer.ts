import { X509Certificate } from 'node:crypto';
import { duplicate, type FieldError, invalidValue, required } from '../../../api/index.ts';
import type { IssuerConfiguration, JwtConfiguration } from './configuration.ts';

/** The errors of one of several issuers, with upstream's texts. `reserved` are the issuers of service accounts' tokens. */
export function issuerProblems(
  all: readonly JwtConfiguration[],
  index: number,
  reserved: readonly string[],
): readonly FieldError[] {
  const issuer = all[index]?.issuer as IssuerConfiguration;
  const path = `jwt[${index}].issuer`;
  const earlier = all.slice(0, index).map((one) => one.issuer);
  const { url, discoveryURL, certificateAuthority } = issuer;
  const errors = url === '' ? [required(`${path}.url`)] : urlProblems(`${path}.url`, url, reserved);
  if (discoveryURL !== '') {
    if (url !== '' && trimmed(url) === trimmed(discoveryURL))
      errors.push(invalidValue(`${path}.discoveryURL`, discoveryURL, 'discoveryURL must be different from URL'));
    errors.push(...urlProblems(`${path}.discoveryURL`, discoveryURL, []));
  }
  errors.push(...audienceProblems(issuer, path));
  if (certificateAuthority !== '' && !isCertificate(certificateAuthority)) {
    const why = 'data does not contain any valid RSA or ECDSA certificates';
    errors.push(invalidValue(`${path}.certificateAuthority`, '<omitted>', why));
  }
  if (earlier.some((one) => one.url === url)) errors.push(duplicate(`${path}.url`, url));
  if (discoveryURL !== '' && earlier.some((one) => one.discoveryURL === discoveryURL))
    errors.push(duplicate(`${path}.discoveryURL`, discoveryURL));
  return errors;
}

function trimmed(url: string): string {
  return url.endsWith('/') ? trimmed(url.slice(0, -1)) : url;
}

function urlProblems(path: string, url: string, reserved: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (reserved.includes(url)) {
    const listed = reserved.toSorted().join(' ');
    errors.push(invalidValue(path, url, `URL must not overlap with disallowed issuers: [${listed}]`));
  }
  if (!URL.canParse(url)) {
    errors.push(invalidValue(path, url, 'URL scheme must be https'));
    return errors;
  }
  const { protocol, username, password, search, hash } = new URL(url);
  if (protocol !== 'https:') errors.push(invalidValue(path, url, 'URL scheme must be https'));
  if (username !== '' || password !== '')
    errors.push(invalidValue(path, url, 'URL must not contain a username or password'));
  if (search !== '') errors.push(invalidValue(path, url, 'URL must not contain a query'));
  if (hash !== '') errors.push(invalidValue(path, url, 'URL must not contain a fragment'));
  return errors;
}

function audienceProblems({ audiences, audienceMatchPolicy }: IssuerConfiguration, path: string): FieldError[] {
  const place = `${path}.audiences`;
  if (audiences.length === 0) return [required(place, `at least one ${place} is required`)];
  const errors = audiences.flatMap((audience, index) => [
    ...(audience === '' ? [required(`${place}[${index}]`)] : []),
    ...(audiences.indexOf(audience) < index ? [duplicate(`${place}[${index}]`, audience)] : []),
  ]);
  const isAny = audienceMatchPolicy === 'MatchAny';
  const policy = `${path}.audienceMatchPolicy`;
  if (audiences.length > 1 && !isAny) {
    const why = 'audienceMatchPolicy must be MatchAny for multiple audiences';
    errors.push(invalidValue(policy, audienceMatchPolicy, why));
  } else if (audiences.length === 1 && audienceMatchPolicy !== '' && !isAny) {
    const why = 'audienceMatchPolicy must be empty or MatchAny for single audience';
    errors.push(invalidValue(policy, audienceMatchPolicy, why));
  }
  return errors;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
