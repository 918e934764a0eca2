{{- /* Not empty where an object of the Prometheus operator is rendered: (list root kind values). */ -}}
{{- define "reprise.rendersMonitoring" -}}
{{- $root := index . 0 }}{{ $kind := index . 1 }}{{ $values := index . 2 }}
{{- $api := printf "monitoring.coreos.com/v1/%s" $kind }}
{{- if $values.enabled }}
{{- if or (eq $values.renderMode "alwaysRender") ($root.Capabilities.APIVersions.Has $api) }}yes
{{- else if eq $values.renderMode "failIfMissing" }}
{{- fail (printf "this cluster does not serve %s, and its renderMode is failIfMissing: install the Prometheus operator's CRDs first, or set renderMode to skipIfMissing" $api) }}
{{- end }}
{{- end }}
{{- end -}}
