{{- define "nodal.labels" -}}
app.kubernetes.io/name: nodal
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "nodal.selector" -}}
app.kubernetes.io/name: nodal
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "nodal.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "nodal.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "nodal.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "nodal.settings" -}}
- configMapRef:
    name: {{ .Release.Name }}-settings
- secretRef:
    name: {{ required "existingSecret must name the secret with DATABASE_URL, NODAL_MASTER_KEY and NODAL_BACKUP_PASSPHRASE" .Values.existingSecret }}
{{- end }}
