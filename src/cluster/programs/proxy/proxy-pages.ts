import { METRIC_CONTENT_TYPES, MetricRegistry, negotiateMetricFormat } from '../../../base/index.ts';
import type { ProxyAnswer, ProxyQuestion } from '../../../network/index.ts';
import { shownConfiguration } from '../settings/written-values.ts';
import { proxyConfiguration, type ProxySettings } from './settings/proxy-fields.ts';

const TEXT = 'text/plain; charset=utf-8';

/** The pages of the metrics port, as of kube-proxy: metrics, the mode, the configuration. */
export function proxyPage(
  { path, accept }: ProxyQuestion,
  { settings, registries }: { readonly settings: ProxySettings; registries(): readonly MetricRegistry[] },
): ProxyAnswer | undefined {
  switch (path) {
    case '/metrics': {
      const format = negotiateMetricFormat(accept);
      return {
        status: 200,
        contentType: METRIC_CONTENT_TYPES[format],
        text: MetricRegistry.exposeAll(registries(), format),
      };
    }
    case '/healthz':
    case '/healthz/ping':
      return { status: 200, contentType: TEXT, text: 'ok' };
    case '/proxyMode':
      return { status: 200, contentType: TEXT, text: settings.mode };
    case '/configz': {
      const { group } = proxyConfiguration;
      const shown = { [group]: shownConfiguration(proxyConfiguration, settings) };
      return { status: 200, contentType: 'application/json', text: JSON.stringify(shown) };
    }
    default:
      return undefined;
  }
}
