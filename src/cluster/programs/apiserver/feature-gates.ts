import { defaultFeatures } from '../../../api/index.ts';
import { DEFAULT_KUBERNETES_VERSION, type KubernetesVersion } from '../../../base/index.ts';

/**
 * What is wrong with a value of `--feature-gates`; undefined when it asks for what is the case anyway.
 *
 * Example: `InPlacePodVerticalScaling=true,kube:AllAlpha=false`.
 */
export function featureGateProblem(
  words: readonly string[],
  version: KubernetesVersion = DEFAULT_KUBERNETES_VERSION,
): string | undefined {
  const features = defaultFeatures(version);
  for (const word of words) {
    const [, name = '', value = ''] = /^(?:kube:)?([^=]*)=?(.*)$/.exec(word) ?? [];
    const isOn = features.get(name);
    if (isOn === undefined) return `unrecognized feature gate: ${name}`;
    if (!/^(?:true|false)$/i.test(value)) return `${name} must be true or false, got "${value}"`;
    if (value.toLowerCase() !== String(isOn))
      return `${word} is refused: features are as they are in Kubernetes ${version} by default, and ${name} is ${isOn ? 'on' : 'off'}`;
  }
  return undefined;
}
