import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../api/index.ts';
import type { ServiceReference, WebhookClientConfig } from '../../api/types/apiextensions/v1.d.ts';
import { parseUrl, UrlError } from '../../cel/index.ts';
import { caBundleProblem } from './ca-bundle.ts';
import type { HubConversion } from './hub-definition.ts';
import type { Ratchets } from './ratchets.ts';

const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

export function isRecognizedReview(version: string): boolean {
  return REVIEW_VERSIONS.includes(version);
}

export function checkConversion(conversion: HubConversion, path: string, ratchets: Ratchets): FieldError[] {
  const { strategy, clientConfig, reviewVersions } = conversion;
  const errors = checkChoice(strategy, STRATEGIES, `${path}.strategy`);
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    if (clientConfig !== undefined) errors.push(forbiddenField(`${path}.webhookClientConfig`, detail));
    if (reviewVersions.length > 0) errors.push(forbiddenField(`${path}.conversionReviewVersions`, detail));
    return errors;
  }
  return [
    ...errors,
    ...checkClient(clientConfig, `${path}.webhookClientConfig`, ratchets),
    ...checkReviewVersions(reviewVersions, `${path}.conversionReviewVersions`, ratchets),
  ];
}

export function checkChoice(value: string, choices: readonly string[], path: string): FieldError[] {
  if (value === '') return [required(path)];
  return choices.includes(value) ? [] : [notSupported(path, value, choices)];
}

function checkClient(client: WebhookClientConfig | undefined, path: string, ratchets: Ratchets): FieldError[] {
  if (client === undefined) return [required(path, 'required when strategy is set to Webhook')];
  const { url, service, caBundle = '' } = client;
  const errors: FieldError[] = [];
  if ((url === undefined) === (service === undefined))
    errors.push(required(path, 'exactly one of url or service is required'));
  else if (url !== undefined) errors.push(...checkWebhookUrl(url, `${path}.url`));
  else if (service !== undefined) errors.push(...checkService(service, `${path}.service`));
  const problem = caBundle === '' || !ratchets.requiresCaBundle ? undefined : caBundleProblem(caBundle);
  if (problem !== undefined) errors.push(invalidValue(`${path}.caBundle`, caBundle, problem));
  return errors;
}

const FORM = '; desired format: https://host[/path]';

function checkWebhookUrl(text: string, path: string): FieldError[] {
  try {
    const { scheme, host, user, fragment, query } = parseUrl(text);
    const login = user?.password === undefined ? user?.name : `${user.name}:${user.password}`;
    return [
      ...(scheme === 'https' ? [] : [invalidValue(path, scheme, `'https' is the only allowed URL scheme${FORM}`)]),
      ...(host === '' ? [invalidValue(path, host, `host must be specified${FORM}`)] : []),
      ...(login === undefined ? [] : [invalidValue(path, login, 'user information is not permitted in the URL')]),
      ...(fragment === '' ? [] : [invalidValue(path, fragment, 'fragments are not permitted in the URL')]),
      ...(query === '' ? [] : [invalidValue(path, query, 'query parameters are not permitted in the URL')]),
    ];
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return [required(path, `url must be a valid URL: ${error.message}${FORM}`)];
  }
}

/** Upstream swaps name and namespace here, so the name comes first. */
function checkService(
  { name = '', namespace = '', path: urlPath = '', port = 443 }: ServiceReference,
  path: string,
): FieldError[] {
  return [
    ...(namespace === '' ? [required(`${path}.name`)] : []),
    ...(name === '' ? [required(`${path}.namespace`)] : []),
    ...(port < 1 || port > 65535
      ? [invalidValue(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]
      : []),
    ...checkUrlPath(urlPath, `${path}.path`),
  ];
}

function checkUrlPath(urlPath: string, path: string): FieldError[] {
  if (urlPath === '' || urlPath === '/') return [];
  if (urlPath === '//') return [invalidValue(path, urlPath, 'segment[0] may not be empty')];
  const errors = urlPath.startsWith('/') ? [] : [invalidValue(path, urlPath, "must start with a '/'")];
  for (const [index, step] of urlPath.slice(1).replace(/\/$/, '').split('/').entries()) {
    const problems = step === '' ? [' may not be empty'] : dns1123SubdomainProblems(step).map((text) => `: ${text}`);
    for (const problem of problems) errors.push(invalidValue(path, urlPath, `segment[${index}]${problem}`));
  }
  return errors;
}

function checkReviewVersions(versions: readonly string[], path: string, ratchets: Ratchets): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    const at = `${path}[${index}]`;
    if (seen.has(version)) errors.push(invalidValue(at, version, 'duplicate version'));
    else for (const problem of dns1035LabelProblems(version)) errors.push(invalidValue(at, version, problem));
    seen.add(version);
  }
  if (ratchets.requiresRecognizedReview && !versions.some(isRecognizedReview))
    errors.push(invalidValue(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  return errors;
}
