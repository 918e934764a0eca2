{{- define "reprise.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 53 | trimSuffix "-" -}}
{{- end -}}

{{- define "reprise.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 53 | trimSuffix "-" -}}
{{- else if contains (include "reprise.name" .) .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "reprise.name" .) | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "reprise.selectorLabels" -}}
app.kubernetes.io/name: {{ include "reprise.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end -}}

{{- define "reprise.labels" -}}
{{ include "reprise.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The text of prices.yaml: the entries of the values come first, so that they hold. Empty without any. */ -}}
{{- define "reprise.priceTable" -}}
{{- $table := .Values.priceTable | default dict -}}
{{- $own := dig "prices" list $table -}}
{{- if dig "defaults" true $table -}}
{{- $dated := .Files.Get "files/prices.yaml" -}}
{{- $own | empty | ternary $dated (replace "\nprices:\n" (printf "\nprices:\n%s\n" (toYaml $own)) $dated) -}}
{{- else if $own -}}
prices:
{{ toYaml $own }}
{{- end -}}
{{- end -}}

{{- define "reprise.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "reprise.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* repository:tag, or repository@digest when there is one: {{ include "reprise.image" (list . .Values.image) }} */ -}}
{{- define "reprise.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default $root.Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* One image holds both programs: what agent.image leaves out is as for the operator. */ -}}
{{- define "reprise.agentImage" -}}
{{- $own := .Values.agent.image -}}
{{- if or $own.repository $own.tag $own.digest -}}
{{- include "reprise.image" (list . (dict "repository" (default .Values.image.repository $own.repository) "tag" $own.tag "digest" $own.digest)) -}}
{{- else -}}
{{- include "reprise.image" (list . .Values.image) -}}
{{- end -}}
{{- end -}}

{{- /* The operator, as admission policies see it. */ -}}
{{- define "reprise.user" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "reprise.serviceAccountName" . }}
{{- end -}}

{{- define "reprise.nodeAgent.selectorLabels" -}}
{{ include "reprise.selectorLabels" . | replace "component: operator" "component: node-agent" }}
{{- end -}}

{{- define "reprise.nodeAgent.labels" -}}
{{ include "reprise.labels" . | replace "component: operator" "component: node-agent" }}
{{- end -}}

{{- define "reprise.nodeAgent.namespace" -}}
{{- default .Release.Namespace .Values.nodeAgent.namespace -}}
{{- end -}}
