{{- /* What the operator may do, by where: of the whole cluster, in the namespaces of jobs, in its own. */ -}}
{{- define "reprise.rules.cluster" -}}
- apiGroups: [reprise.dev]
  resources: [gpupools]
  verbs: [list, watch]
- apiGroups: [reprise.dev]
  resources: [gpupools/status]
  verbs: [patch]
- apiGroups: [reprise.dev]
  resources: [gpupools/finalizers]
  verbs: [update]
- apiGroups: [""]
  resources: [nodes]
  verbs: [get, list, watch, patch]
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
- apiGroups: [karpenter.sh]
  resources: [nodepools]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [karpenter.sh]
  resources: [nodeoverlays]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [karpenter.sh]
  resources: [nodeclaims]
  verbs: [get, list, watch, delete]
{{- if .Values.featureGates.Kueue }}
- apiGroups: [kueue.x-k8s.io]
  resources: [resourceflavors, workloadpriorityclasses]
  verbs: [list, watch]
- apiGroups: [scheduling.k8s.io]
  resources: [priorityclasses]
  verbs: [list, watch]
{{- end }}
{{- if or .Values.metrics.secure.enabled .Values.reports.enabled }}
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
{{- end }}
{{- if .Values.metrics.secure.enabled }}
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end }}
# Which kinds the cluster serves: Karpenter's may be missing, come and go.
- nonResourceURLs: [/apis, /apis/*]
  verbs: [get]
{{- with .Values.rbac.extraClusterRoleRules }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "reprise.rules.jobs" -}}
- apiGroups: [reprise.dev]
  resources: [resumablejobs]
  verbs: [get, list, watch, delete]
- apiGroups: [reprise.dev]
  resources: [resumablejobs/status]
  verbs: [patch]
- apiGroups: [reprise.dev]
  resources: [resumablejobs/finalizers]
  verbs: [update]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [pods/status]
  verbs: [patch]
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, list, watch, create, patch]
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create]
{{- if .Values.featureGates.Kueue }}
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, list, watch, create, delete{{ if .Values.featureGates.KueuePriorityBoost }}, patch{{ end }}]
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads/status]
  verbs: [patch]
{{- end }}
- apiGroups: [""]
  resources: [events]
  verbs: [list]
{{ include "reprise.rules.ownEvents" . }}
{{- end -}}

{{- define "reprise.rules.ownEvents" -}}
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{- /* About nodes and NodeClaims: they are in the namespace default. */ -}}
{{- define "reprise.rules.notices" -}}
- apiGroups: [""]
  resources: [events]
  verbs: [list, watch]
{{- end -}}

{{- define "reprise.rules.lease" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, create, patch]
{{- end -}}

{{- define "reprise.rules.reports" -}}
- apiGroups: [""]
  resources: [services]
  verbs: [get]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [create, patch]
{{- end -}}

{{- define "reprise.rules.devicePlugin" -}}
- apiGroups: [""]
  resources: [configmaps]
  verbs: [list, watch, create, patch]
{{- end -}}

{{- /* A Role or ClusterRole and its binding: (list root kind name namespace rules); no namespace for a ClusterRole. */ -}}
{{- define "reprise.role" -}}
{{- $root := index . 0 }}{{ $kind := index . 1 }}{{ $name := index . 2 }}{{ $namespace := index . 3 }}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  name: {{ $name }}
  {{- with $namespace }}
  namespace: {{ . }}
  {{- end }}
  labels: {{- include "reprise.labels" $root | nindent 4 }}
rules:
{{ index . 4 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  name: {{ $name }}
  {{- with $namespace }}
  namespace: {{ . }}
  {{- end }}
  labels: {{- include "reprise.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ $name }}
subjects:
- kind: ServiceAccount
  name: {{ include "reprise.serviceAccountName" $root }}
  namespace: {{ $root.Release.Namespace }}
{{- end -}}
