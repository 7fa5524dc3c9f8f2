import { formatDuration } from '../../../../base/index.ts';
import type { ConfigurationFile } from '../../program.ts';
import { allSettings } from './kubelet-fields.ts';
import type { Setting } from './setting.ts';

/** KubeletConfiguration as the page of flags shows it. */
export const kubeletConfigurationFile: ConfigurationFile = {
  title: 'KubeletConfiguration (kubelet.config.k8s.io/v1beta1)',
  fields: allSettings
    .map(({ path, setting }) => ({
      name: path.join('.'),
      default: defaultText(setting),
      verdict: setting.verdict,
      why: setting.why,
    }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1)),
};

function defaultText({ default: value, form }: Setting): string {
  if (value === undefined || value === '') return '';
  if (form === 'duration' && typeof value === 'number') return formatDuration(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}
