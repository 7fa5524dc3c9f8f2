import {
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../api/index.ts';
import type {
  ClusterTrustBundleProjection,
  DownwardAPIProjection,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../api/types/core/v1.d.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { checkSignerName, isSignerOfKubernetes } from '../signer-name-rules.ts';
import { checkLocalPath } from './path-rules.ts';
import { checkUserAnnotations } from './user-annotation-rules.ts';
import { checkDownwardFile, checkItems, checkMode } from './volume-file-rules.ts';

const PROJECTIONS = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
] as const;

/** No two sources may write the same file; that is reported at the volume. */
class WrittenPaths {
  readonly #field: string;
  readonly #paths = new Set<string>();

  constructor(field: string) {
    this.#field = field;
  }

  /** `shown` is what the problem quotes. */
  add(path: string, shown: string): FieldError[] {
    const isTaken = this.#paths.has(path);
    this.#paths.add(path);
    return isTaken ? [invalidValue(this.#field, shown, 'conflicting duplicate paths')] : [];
  }
}

export function checkProjected({ defaultMode, sources }: ProjectedVolumeSource, field: string): FieldError[] {
  const paths = new WrittenPaths(field);
  return [
    ...checkMode(defaultMode, `${field}.defaultMode`),
    ...(sources ?? []).flatMap((source, index) => checkProjection(source, { field, index, paths })),
  ];
}

interface Place {
  /** The path of the volume. */
  readonly field: string;
  readonly index: number;
  readonly paths: WrittenPaths;
}

function checkProjection(source: VolumeProjection, { field, index, paths }: Place): FieldError[] {
  const at = `${field}.sources[${index}]`;
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const count = PROJECTIONS.filter((name) => source[name] !== undefined).length;
  return [
    ...(secret === undefined ? [] : checkKeys(secret, `${at}.secret`, paths)),
    ...(configMap === undefined ? [] : checkKeys(configMap, `${at}.configMap`, paths)),
    ...(downwardAPI === undefined ? [] : checkDownward(downwardAPI, `${at}.downwardAPI`, paths)),
    ...(serviceAccountToken === undefined
      ? []
      : checkToken(serviceAccountToken, `${at}.serviceAccountToken`, `${field}.path`)),
    ...(clusterTrustBundle === undefined
      ? []
      : checkTrustBundle(clusterTrustBundle, `${at}.clusterTrustBundle`, paths)),
    ...(podCertificate === undefined ? [] : checkCertificate(podCertificate, `${at}.podCertificate`, paths)),
    ...(count > 1 ? [forbiddenField(at, 'may not specify more than 1 volume type per source')] : []),
  ];
}

interface Keys {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
}

function checkKeys({ name = '', items = [] }: Keys, field: string, paths: WrittenPaths): FieldError[] {
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...items.flatMap((item, index) => [
      ...checkItems([item], `${field}.items`, index),
      ...((item.path ?? '') === '' ? [] : paths.add(item.path, name)),
    ]),
  ];
}

function checkDownward({ items = [] }: DownwardAPIProjection, field: string, paths: WrittenPaths): FieldError[] {
  return items.flatMap((file) => [
    ...checkDownwardFile(file, field),
    ...((file.path ?? '') === '' ? [] : paths.add(file.path, file.path)),
  ]);
}

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** Upstream reports problems of the path as if the volume had one. */
function checkToken(token: ServiceAccountTokenProjection, field: string, pathField: string): FieldError[] {
  const { expirationSeconds: seconds = 0, path = '' } = token;
  const at = `${field}.expirationSeconds`;
  const errors: FieldError[] = [];
  if (seconds < MIN_TOKEN_SECONDS) {
    errors.push(invalidValue(at, seconds, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > MAX_TOKEN_SECONDS) {
    errors.push(invalidValue(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return [...errors, ...(path === '' ? [required(pathField)] : checkLocalPath(path, pathField))];
}

function checkTrustBundle(bundle: ClusterTrustBundleProjection, field: string, paths: WrittenPaths): FieldError[] {
  const { path = '' } = bundle;
  return [
    ...checkBundleChoice(bundle, field),
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...checkLocalPath(path, `${field}.path`),
    ...paths.add(path, path),
  ];
}

function checkBundleChoice(bundle: ClusterTrustBundleProjection, field: string): FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    return [invalidValue(field, shownBundle(bundle), 'only one of name and signerName may be used')];
  }
  if (name !== undefined) {
    const detail = 'labelSelector must be unset if name is specified';
    return [
      ...(name === '' ? [required(`${field}.name`, 'must be a valid object name')] : []),
      ...bundleNameProblems(name).map((problem) =>
        invalidValue(`${field}.name`, name, `not a valid clustertrustbundlename: ${problem}`),
      ),
      ...(labelSelector === undefined ? [] : [invalidValue(`${field}.labelSelector`, labelSelector, detail)]),
    ];
  }
  if (signerName === undefined) return [required(field, 'either name or signerName must be specified')];
  return [
    ...(signerName === '' ? [required(`${field}.signerName`, 'must be a valid signer name')] : []),
    ...checkSignerName(signerName, `${field}.signerName`),
    ...checkLabelSelector(labelSelector, `${field}.labelSelector`),
  ];
}

/** The projection as messages quote it: by the names of upstream's internal type. */
function shownBundle(bundle: ClusterTrustBundleProjection): unknown {
  const { name = null, signerName = null, labelSelector = null, optional = null, path = '' } = bundle;
  return { Name: name, SignerName: signerName, LabelSelector: labelSelector, Optional: optional, Path: path };
}

/** What stands before the last colon is the signer's name, so that what is left has to be a subdomain. */
function bundleNameProblems(name: string): readonly string[] {
  return dns1123SubdomainProblems(name.slice(name.lastIndexOf(':') + 1));
}

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const MIN_CERTIFICATE_SECONDS = 3600;
const MAX_CERTIFICATE_SECONDS = 7_862_400;
const MAX_CERTIFICATE_SECONDS_OF_KUBERNETES = 86_400;
const CERTIFICATE_PATHS = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;

function checkCertificate(source: PodCertificateProjection, field: string, paths: WrittenPaths): FieldError[] {
  const { signerName = '', keyType = '', maxExpirationSeconds: seconds, userAnnotations } = source;
  const given = CERTIFICATE_PATHS.filter((name) => (source[name] ?? '') !== '');
  const detail = 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath';
  return [
    ...checkSignerName(signerName, `${field}.signerName`),
    ...checkUserAnnotations(userAnnotations ?? {}, `${field}.userAnnotations`),
    ...(KEY_TYPES.includes(keyType) ? [] : [notSupported(`${field}.keyType`, keyType, KEY_TYPES)]),
    ...(seconds === undefined ? [] : checkLifetime(seconds, signerName, `${field}.maxExpirationSeconds`)),
    ...given.flatMap((name) => {
      const path = source[name] ?? '';
      return [...checkLocalPath(path, `${field}.${name}`), ...paths.add(path, path)];
    }),
    ...(given.length === 0 ? [required(field, detail)] : []),
  ];
}

function checkLifetime(seconds: number, signerName: string, field: string): FieldError[] {
  const most = isSignerOfKubernetes(signerName) ? MAX_CERTIFICATE_SECONDS_OF_KUBERNETES : MAX_CERTIFICATE_SECONDS;
  const says = 'if provided, maxExpirationSeconds must be';
  if (seconds < MIN_CERTIFICATE_SECONDS) {
    return [invalidValue(field, seconds, `${says} >= ${MIN_CERTIFICATE_SECONDS}`)];
  }
  return seconds > most ? [invalidValue(field, seconds, `${says} <= ${most}`)] : [];
}
