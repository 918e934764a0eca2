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

{{- /* "1.5s" in milliseconds. */ -}}
{{- define "reprise.milliseconds" -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- round (mulf (trimSuffix $unit .) (get (dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000) $unit)) 0 | int64 -}}
{{- end -}}

{{- /* Milliseconds as the operator writes them: 10s, 0.500s. */ -}}
{{- define "reprise.inSeconds" -}}
{{- div . 1000 }}{{ if mod . 1000 }}.{{ printf "%03d" (mod . 1000) }}{{ end }}s
{{- end -}}

{{- /* Fails as the operator would: times of the lease that do not fit would have its pods end at once, again and again. */ -}}
{{- define "reprise.checkLease" -}}
{{- $lease := include "reprise.milliseconds" .leaseDuration | int64 -}}
{{- $renew := include "reprise.milliseconds" .renewDeadline | int64 -}}
{{- $retry := include "reprise.milliseconds" .retryPeriod | int64 -}}
{{- $margin := max 500 (div $lease 30) -}}
{{- $wrong := "" -}}
{{- if lt $retry 100 -}}
{{- $wrong = printf "retry period: found %s, must be at least 0.100s" (include "reprise.inSeconds" $retry) -}}
{{- else if le $renew (add $retry (div $retry 5)) -}}
{{- $wrong = printf "renew deadline: found %s, must be more than 1.2 retry periods of %s" (include "reprise.inSeconds" $renew) (include "reprise.inSeconds" $retry) -}}
{{- else if gt $lease 600000 -}}
{{- $wrong = printf "lease duration: found %s, must be at most 600s" (include "reprise.inSeconds" $lease) -}}
{{- else if mod $lease 1000 -}}
{{- $wrong = printf "lease duration: found %s, must be whole seconds" (include "reprise.inSeconds" $lease) -}}
{{- else if le $lease (add $renew $margin) -}}
{{- $wrong = printf "lease duration: found %s, must be more than the renew deadline of %s and %s for clocks that differ" (include "reprise.inSeconds" $lease) (include "reprise.inSeconds" $renew) (include "reprise.inSeconds" $margin) -}}
{{- end -}}
{{- with $wrong }}{{ fail (printf "leaderElection: %s" .) }}{{ end -}}
{{- end -}}

{{- /* Flags whose values differ from the operator's own defaults, so that extraArgs may give the others. */ -}}
{{- define "reprise.flags" -}}
{{- include "reprise.checkLease" .Values.leaderElection }}
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
  (list "price-table" (include "reprise.priceTable" . | empty | ternary "" "/etc/reprise/prices/prices.yaml") "")
  (list "job-metrics-limit" (toString (dig "jobLimit" 500 .Values.metrics)) "500")
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
