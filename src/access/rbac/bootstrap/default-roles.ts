/** What users, programs and nodes may do in every cluster, in the notation of `read-policy.ts`. */
export const defaultRoles = `
role admin aggregated
role cluster-admin
  * * *
  * *
role edit part-of admin aggregated
role system:aggregate-to-admin part-of admin
  create authorization.k8s.io localsubjectaccessreviews
  create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io rolebindings,roles
role system:aggregate-to-edit part-of edit
  read core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
  impersonate core serviceaccounts
  write core pods,pods/attach,pods/exec,pods/portforward,pods/proxy
  create core pods/eviction
  write core configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy
  create core serviceaccounts/token
  write core,events.k8s.io events
  write apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
  write autoscaling horizontalpodautoscalers
  write batch cronjobs,jobs
  write extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale
  write policy poddisruptionbudgets
  write networking.k8s.io ingresses,networkpolicies
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases
  write resource.k8s.io resourceclaims,resourceclaimtemplates
role system:aggregate-to-view part-of view
  read core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status
  read core bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status
  read core namespaces
  read core,events.k8s.io events
  read discovery.k8s.io endpointslices
  read apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status
  read autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
  read batch cronjobs,cronjobs/status,jobs,jobs/status
  read extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale
  read policy poddisruptionbudgets,poddisruptionbudgets/status
  read networking.k8s.io ingresses,ingresses/status,networkpolicies
  read resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates
role system:auth-delegator
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
role system:basic-user
  create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
  create authentication.k8s.io selfsubjectreviews
role system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create certificates.k8s.io certificatesigningrequests/nodeclient
role system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create certificates.k8s.io certificatesigningrequests/selfnodeclient
role system:certificates.k8s.io:kube-apiserver-client-approver
  approve certificates.k8s.io signers named kubernetes.io/kube-apiserver-client
role system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve certificates.k8s.io signers named kubernetes.io/kube-apiserver-client-kubelet
role system:certificates.k8s.io:kubelet-serving-approver
  approve certificates.k8s.io signers named kubernetes.io/kubelet-serving
role system:certificates.k8s.io:legacy-unknown-approver
  approve certificates.k8s.io signers named kubernetes.io/legacy-unknown
role system:discovery
  get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/
role system:heapster
  read core events,namespaces,nodes,pods
  read extensions deployments
role system:kube-aggregator
  read core endpoints,services
role system:kube-controller-manager
  events
  create coordination.k8s.io leases
  get,update coordination.k8s.io leases named kube-controller-manager
  create core secrets,serviceaccounts
  delete core secrets
  get core configmaps,namespaces,secrets,serviceaccounts
  update core secrets,serviceaccounts
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  list,watch * *
  create core serviceaccounts/token
role system:kube-dns
  list,watch core endpoints,services
role system:kube-scheduler
  events
  create coordination.k8s.io leases
  get,list,update,watch coordination.k8s.io leases named kube-scheduler
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates
  read core nodes
  delete,get,list,watch core pods
  create core bindings,pods/binding
  patch,update core pods/status
  read core replicationcontrollers,services
  read apps,extensions replicasets
  read apps statefulsets
  read policy poddisruptionbudgets
  read core persistentvolumeclaims,persistentvolumes
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  read storage.k8s.io csinodes
  read storage.k8s.io volumeattachments
  read core namespaces
  read storage.k8s.io csidrivers
  read storage.k8s.io csistoragecapacities
  read resource.k8s.io deviceclasses
  get,list,patch,update,watch resource.k8s.io resourceclaims
  get,list,patch,update,watch resource.k8s.io resourceclaims/status
  update core pods/finalizers
  read resource.k8s.io resourceslices
  create,delete resource.k8s.io resourceclaims
  patch,update resource.k8s.io resourceclaims/binding
role system:kubelet-api-admin
  read core nodes
  proxy core nodes
  * core nodes/log,nodes/metrics,nodes/proxy,nodes/stats
  * core nodes/configz,nodes/healthz,nodes/pods
role system:monitoring
  get /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz
  get core nodes/metrics
role system:node
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews
  read core services
  create,get,list,watch core nodes
  patch,update core nodes/status
  patch,update core nodes
  events
  read core pods
  create,delete core pods
  patch,update core pods/status
  create core pods/eviction
  read core configmaps,secrets
  get core persistentvolumeclaims,persistentvolumes
  get core endpoints
  create,get,list,watch certificates.k8s.io certificatesigningrequests
  create,delete,get,patch,update coordination.k8s.io leases
  get storage.k8s.io volumeattachments
  create core serviceaccounts/token
  get,patch,update core persistentvolumeclaims/status
  read storage.k8s.io csidrivers
  create,delete,get,patch,update storage.k8s.io csinodes
  read node.k8s.io runtimeclasses
  get resource.k8s.io resourceclaims
  deletecollection resource.k8s.io resourceslices
  get core serviceaccounts
role system:node-bootstrapper
  create,get,list,watch certificates.k8s.io certificatesigningrequests
role system:node-problem-detector
  get core nodes
  patch core nodes/status
  events
role system:node-proxier
  list,watch core endpoints,services
  read core nodes
  events
  list,watch networking.k8s.io servicecidrs
  list,watch discovery.k8s.io endpointslices
role system:persistent-volume-provisioner
  create,delete,get,list,watch core persistentvolumes
  get,list,update,watch core persistentvolumeclaims
  read storage.k8s.io storageclasses
  watch core events
  events
role system:public-info-viewer
  get /healthz,/livez,/readyz,/version,/version/
role system:service-account-issuer-discovery
  get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/
role system:volume-scheduler
  get,list,patch,update,watch core persistentvolumes
  read storage.k8s.io storageclasses
  get,list,patch,update,watch core persistentvolumeclaims
role view part-of edit aggregated
bind cluster-admin to group:system:masters
bind system:basic-user to group:system:authenticated
bind system:discovery to group:system:authenticated
bind system:kube-controller-manager to user:system:kube-controller-manager
bind system:kube-dns to account:kube-system/kube-dns
bind system:kube-scheduler to user:system:kube-scheduler
bind system:monitoring to group:system:monitoring
bind system:node to none
bind system:node-proxier to user:system:kube-proxy
bind system:public-info-viewer to group:system:authenticated group:system:unauthenticated
bind system:service-account-issuer-discovery to group:system:serviceaccounts
bind system:volume-scheduler to user:system:kube-scheduler
role system:controller:bootstrap-signer in kube-public
  read core configmaps
  update core configmaps named cluster-info
  events
role extension-apiserver-authentication-reader in kube-system
  read core configmaps named extension-apiserver-authentication
role system::leader-locking-kube-controller-manager in kube-system
  create,get,list,update,watch coordination.k8s.io leases
  create,get,list,update,watch coordination.k8s.io leasecandidates
role system::leader-locking-kube-scheduler in kube-system
  create,get,list,update,watch coordination.k8s.io leases
  create,get,list,update,watch coordination.k8s.io leasecandidates
role system:controller:bootstrap-signer in kube-system
  read core secrets
role system:controller:cloud-provider in kube-system
  create,get,list,watch core configmaps
role system:controller:token-cleaner in kube-system
  delete,get,list,watch core secrets
  events
bind system:controller:bootstrap-signer in kube-public to account:kube-system/bootstrap-signer
bind system::extension-apiserver-authentication-reader in kube-system of extension-apiserver-authentication-reader to user:system:kube-controller-manager user:system:kube-scheduler
bind system::leader-locking-kube-controller-manager in kube-system to user:system:kube-controller-manager account:kube-system/kube-controller-manager account:kube-system/leader-election-controller
bind system::leader-locking-kube-scheduler in kube-system to user:system:kube-scheduler account:kube-system/kube-scheduler
bind system:controller:bootstrap-signer in kube-system to account:kube-system/bootstrap-signer
bind system:controller:cloud-provider in kube-system to account:kube-system/cloud-provider
bind system:controller:token-cleaner in kube-system to account:kube-system/token-cleaner
`;
