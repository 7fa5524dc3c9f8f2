import type { AdmissionStep } from '../../protocol.ts';
import { Figures } from './step-figures.tsx';

const KINDS: Readonly<Record<AdmissionStep['type'], string>> = {
  'mutating-policy': 'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutating-webhook': 'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validating-policy': 'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validating-webhook': 'validatingwebhookconfigurations.admissionregistration.k8s.io',
};

/** Webhooks and policies in the order in which a request passes them. */
export function AdmissionPart({
  steps,
  resource,
}: {
  readonly steps: readonly AdmissionStep[] | undefined;
  readonly resource: string;
}) {
  if (steps === undefined) return null;
  return (
    <section class="card wide">
      <h2>3. Admission, in running order{resource === '' ? '' : `, for ${resource}`}</h2>
      {steps.length === 0 ? (
        <p class="hint">No webhook and no policy {resource === '' ? 'is configured' : `is about ${resource}`}.</p>
      ) : (
        <ol class="pipeline">
          {steps.map((step, index) => (
            <li key={`${step.configuration}/${step.name}`} class={step.phase}>
              <span class="position">{index + 1}</span>
              <div>
                <p>
                  <span class="tag">{step.phase}</span>{' '}
                  <a href={`#/object/${KINDS[step.type]}/-/${encodeURIComponent(step.configuration)}`}>{step.name}</a>{' '}
                  <small>{step.type.replace('-', ' ')}</small>
                </p>
                <p class="hint wrap">
                  {step.target === undefined ? '' : `asks ${step.target}. `}
                  {describeRules(step)}
                  {step.hasSelectors ? ' Selectors choose among them.' : ''}
                </p>
                {step.matchConditions.map(({ name, expression }) => (
                  <p key={name} class="wrap">
                    <small>only when {name}:</small> <code>{expression}</code>
                  </p>
                ))}
                {(step.expressions ?? []).map((expression) => (
                  <p key={expression} class="wrap">
                    <code>{expression}</code>
                  </p>
                ))}
              </div>
              <div class="pipeline-figures">
                <span class="hint">
                  {step.failurePolicy}
                  {step.timeoutMs === undefined ? '' : `, ${step.timeoutMs / 1000} s`}
                  {step.reinvocation === undefined || step.reinvocation === 'Never' ? '' : ', again if changed'}
                </span>
                <Figures seen={step.seen} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function describeRules({ rules }: AdmissionStep): string {
  const parts = rules.map(({ groups, resources, operations }) => {
    const inGroups = groups.map((group) => (group === '' ? 'core' : group === '*' ? 'any group' : group)).join(', ');
    return `${operations.join(', ')} of ${resources.join(', ')} in ${inGroups}`;
  });
  return parts.length === 0 ? '' : `${parts.join('; ')}.`;
}
