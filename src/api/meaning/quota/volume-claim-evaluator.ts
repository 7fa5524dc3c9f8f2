import type { DeepReadonly } from '../../../base/index.ts';
import type { PersistentVolumeClaim } from '../../types/core/v1.d.ts';
import { parseQuantity } from '../../values/parse-quantity.ts';
import { Quantity, quantityOf } from '../../values/quantity.ts';
import { ONE } from './amounts.ts';
import { countName, evaluatorOf } from './evaluator.ts';
import { fitsName, type ScopeRule } from './scopes.ts';

type Claim = DeepReadonly<PersistentVolumeClaim>;

const COUNT = countName('', 'persistentvolumeclaims');
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const OF_CLASS = '.storageclass.storage.k8s.io/';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** The usage of claims: the claims themselves and storage, in total and by storage class. */
export const volumeClaimEvaluator = evaluatorOf<Claim>({
  group: '',
  plural: CLAIMS,
  handles: ({ operation, subresource }) =>
    subresource === ''
      ? operation === 'CREATE' || operation === 'UPDATE'
      : subresource === 'status' && operation === 'UPDATE',
  concerns: ({ subresource }, claim, old) => subresource === '' || isOtherwiseBound(claim, old),
  measures: (name) =>
    [COUNT, CLAIMS, STORAGE].includes(name) || [CLAIMS, STORAGE].some((each) => name.endsWith(OF_CLASS + each)),
  usage: (claim) => {
    const usage = new Map([
      [CLAIMS, ONE],
      [COUNT, ONE],
    ]);
    const storageClass = claim.metadata?.annotations?.[CLASS_ANNOTATION] ?? claim.spec?.storageClassName ?? '';
    const storage = storageOf(claim);
    if (storage !== undefined) usage.set(STORAGE, storage);
    if (storageClass === '') return usage;
    usage.set(storageClass + OF_CLASS + CLAIMS, ONE);
    if (storage !== undefined) usage.set(storageClass + OF_CLASS + STORAGE, storage);
    return usage;
  },
  fits,
  setsFree: (claim, old) => isOtherwiseBound(claim, old),
});

/** The requested or allocated storage, whichever is larger, in whole bytes. */
function storageOf({ spec, status }: Claim): Quantity | undefined {
  const asked = quantityIn(spec?.resources?.requests);
  const allocated = quantityIn(status?.allocatedResources);
  if (asked === undefined || allocated === undefined) return asked;
  return allocated.compare(asked) > 0 ? allocated : asked;
}

function quantityIn(amounts: Readonly<Record<string, string>> | undefined): Quantity | undefined {
  const quantity = parseQuantity(amounts?.['storage'] ?? '');
  if (!(quantity instanceof Quantity)) return undefined;
  const whole = quantityOf(quantity.scaledValue(0), quantity.format);
  return whole.equals(quantity) ? quantity : whole;
}

function fits(claim: Claim, rule: ScopeRule): boolean {
  if (rule.scopeName !== 'VolumeAttributesClass') return false;
  const names = attributesClasses(claim);
  return names.size === 0 ? fitsName(rule, undefined) : [...names].some((name) => fitsName(rule, name));
}

/** The desired, the current and the target class. */
function attributesClasses({ spec, status }: Claim): ReadonlySet<string> {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return new Set(names.flatMap((name = '') => (name === '' ? [] : [name])));
}

function isOtherwiseBound(claim: Claim, old: Claim): boolean {
  if (claim.status?.allocatedResources?.['storage'] !== old.status?.allocatedResources?.['storage']) return true;
  const now = attributesClasses(claim);
  const before = attributesClasses(old);
  return now.size !== before.size || [...now].some((name) => !before.has(name));
}
