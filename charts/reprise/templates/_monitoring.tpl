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

{{- /* How a secure endpoint is read: (list root kind). A PodMonitor cannot name the file of Prometheus' own token. */ -}}
{{- define "reprise.secureScrape" -}}
{{- $secure := (index . 0).Values.metrics.secure -}}
{{- if $secure.enabled -}}
scheme: https
{{- if $secure.tokenSecret }}
authorization:
  credentials: {name: {{ $secure.tokenSecret | quote }}, key: token}
{{- else if eq (index . 1) "ServiceMonitor" }}
bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
{{- else }}
{{- fail "a PodMonitor of secure metrics takes its token from a Secret: set metrics.secure.tokenSecret, or use the ServiceMonitor" }}
{{- end }}
tlsConfig: {{- $secure.tlsConfig | default (dict "insecureSkipVerify" true) | toYaml | nindent 2 }}
{{- end -}}
{{- end -}}
