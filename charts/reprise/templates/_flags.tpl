{{- /* Kueue=true, by name. */ -}}
{{- define "reprise.featureGates" -}}
{{- $gates := list }}
{{- range $name, $on := .Values.featureGates }}
{{- $gates = append $gates (printf "%s=%t" $name $on) }}
{{- end }}
{{- join "," $gates }}
{{- end -}}

{{- /* Where the certificate of /metrics is mounted; empty without one. */ -}}
{{- define "reprise.metricsCertificate" -}}
{{- if and .Values.metrics.secure.enabled .Values.metrics.secure.certificateSecret }}/etc/reprise/metrics-certificate{{ end -}}
{{- end -}}

{{- /* Where the certificate is mounted with which reports are received; empty without one. */ -}}
{{- define "reprise.reportCertificate" -}}
{{- if and .Values.reports.enabled .Values.reports.certificateSecret }}/etc/reprise/report-certificate{{ end -}}
{{- end -}}

{{- /* Flags whose values differ from the operator's own defaults, so that extraArgs may give the others. */ -}}
{{- define "reprise.flags" -}}
{{- range list
  (list "log-level" .Values.log.level "info")
  (list "log-format" .Values.log.format "json")
  (list "otlp-endpoint" .Values.tracing.endpoint "")
  (list "leader-elect-lease-duration" .Values.leaderElection.leaseDuration "15s")
  (list "leader-elect-renew-deadline" .Values.leaderElection.renewDeadline "10s")
  (list "leader-elect-retry-period" .Values.leaderElection.retryPeriod "2s")
  (list "max-concurrent-reconciles" (toString .Values.maxConcurrentReconciles) "4")
  (list "shutdown-timeout" (printf "%ds" (max 1 (sub .Values.terminationGracePeriodSeconds 5))) "25s")
  (list "watch-namespaces" (join "," .Values.watchNamespaces) "")
  (list "feature-gates" (include "reprise.featureGates" .) "")
  (list "device-plugin-namespace" .Values.devicePlugin.namespace "")
  (list "metrics-secure" (toString .Values.metrics.secure.enabled) "false")
  (list "metrics-cert-path" (include "reprise.metricsCertificate" .) "")
  (list "report-bind-address" (ternary (printf ":%v" .Values.reports.port) "0" .Values.reports.enabled) "0")
  (list "report-service" (ternary (printf "%s-reports" (include "reprise.fullname" .)) "" .Values.reports.enabled) "")
  (list "report-cert-path" (include "reprise.reportCertificate" .) "")
  (list "agent-image-pull-policy" .Values.agent.image.pullPolicy "")
  (list "agent-image-pull-secrets" (join "," .Values.agent.image.pullSecrets) "")
}}
{{- if ne (index . 1) (index . 2) }}
- {{ printf "--%s=%s" (index . 0) (index . 1) | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The port that a URL leads to: its own, or that of its scheme. */ -}}
{{- define "reprise.portOfUrl" -}}
{{- $authority := (urlParse .).host -}}
{{- if regexMatch ":[0-9]+$" $authority }}{{ regexFind "[0-9]+$" $authority }}
{{- else }}{{ hasPrefix "https://" . | ternary 443 80 }}{{ end -}}
{{- end -}}
