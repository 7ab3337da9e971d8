package dev.holdfast.http.expression;

import dev.holdfast.http.expression.FieldType.ArrayOf;
import dev.holdfast.http.expression.FieldType.MapOf;
import dev.holdfast.http.expression.FieldType.Scalar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the language and their types. Many have values only in an edge network; they are
 * defined so that expressions written for one can be parsed, and are missing in every request here.
 */
final class FieldTypes {

  private static final FieldType BYTES_LIST = new ArrayOf(Scalar.BYTES);
  private static final FieldType BYTES_LISTS_BY_NAME = new MapOf(BYTES_LIST);

  private static final Map<String, FieldType> TYPES = new HashMap<>();

  static {
    add(
        Scalar.BYTES,
        """
        http.cookie http.host http.referer http.user_agent http.x_forwarded_for
        http.request.full_uri http.request.method http.request.uri http.request.uri.path
        http.request.uri.path.extension http.request.uri.query http.request.version
        http.request.body.raw http.request.body.mime
        raw.http.request.full_uri raw.http.request.uri raw.http.request.uri.path
        raw.http.request.uri.path.extension raw.http.request.uri.query
        cf.ray_id cf.zone.name cf.zone.plan cf.metal.id cf.random_seed cf.hostname.metadata
        cf.colo.name cf.colo.region cf.worker.upstream_zone cf.tls_version cf.tls_cipher
        cf.tls_client_hello_length_raw cf.tls_ciphers_sha1 cf.tls_client_extensions_sha1
        cf.tls_client_auth.cert_issuer_dn cf.tls_client_auth.cert_subject_dn
        cf.tls_client_auth.cert_serial cf.tls_client_auth.cert_fingerprint_sha256
        cf.tls_client_auth.cert_fingerprint_sha1 cf.tls_client_auth.cert_not_before
        cf.tls_client_auth.cert_not_after cf.bot_management.ja3_hash cf.bot_management.ja4
        cf.tls_client_auth.cert_issuer_dn_rfc2253 cf.tls_client_auth.cert_subject_dn_rfc2253
        cf.tls_client_auth.cert_issuer_dn_legacy cf.tls_client_auth.cert_subject_dn_legacy
        cf.tls_client_auth.cert_issuer_serial cf.tls_client_auth.cert_ski
        cf.tls_client_auth.cert_issuer_ski cf.tls_client_auth.cert_rfc9440
        cf.tls_client_auth.cert_chain_rfc9440 cf.tls_client_extensions_sha1_le
        cf.tls_client_random cf.waf.score.class
        cf.verified_bot_category cf.waf.content_scan.result cf.api_gateway.fallthrough_detected_name
        cf.waf.auth_detected_name cf.response.error_type
        ip.src.country ip.src.continent ip.src.city ip.src.region ip.src.region_code
        ip.src.postal_code ip.src.metro_code ip.src.lat ip.src.lon ip.src.timezone.name
        ip.src.subdivision_1_iso_code ip.src.subdivision_2_iso_code
        ip.geoip.country ip.geoip.continent ip.geoip.subdivision_1_iso_code
        ip.geoip.subdivision_2_iso_code http.response.content_type.media_type
        """);
    add(
        Scalar.INT,
        """
        http.request.timestamp.sec http.request.timestamp.msec http.request.body.size
        http.response.code http.response.1xxx_code cf.edge.server_port cf.edge.client_port
        cf.edge.l4.delivery_rate cf.response.1xxx_code cf.timings.client_quic_rtt_msec
        cf.timings.worker_msec cf.llm.prompt.token_count ip.src.asnum ip.geoip.asnum cf.threat_score
        cf.bot_management.score cf.waf.score cf.waf.score.sqli cf.waf.score.xss cf.waf.score.rce
        cf.tls_client_hello_length cf.waf.content_scan.num_malicious_obj
        cf.waf.content_scan.num_obj cf.client.tcp_rtt_msec cf.timings.client_tcp_rtt_msec
        cf.timings.edge_msec cf.timings.origin_ttfb_msec cf.llm.prompt.injection_score
        """);
    add(
        Scalar.BOOL,
        """
        ssl cf.client.bot cf.edge.client_tcp cf.schema_validation.learned.violated
        cf.schema_validation.uploaded.violated cf.bot_management.signed_agent cf.waf.auth_detected
        cf.tls_client_auth.cert_rfc9440_too_large cf.tls_client_auth.cert_chain_rfc9440_too_large
        http.request.headers.truncated http.request.body.truncated
        http.request.body.multipart.truncated http.response.headers.truncated
        cf.bot_management.verified_bot cf.bot_management.static_resource
        cf.bot_management.corporate_proxy cf.bot_management.js_detection.passed
        ip.src.is_in_european_union ip.geoip.is_in_european_union
        cf.tls_client_auth.cert_verified cf.tls_client_auth.cert_presented
        cf.tls_client_auth.cert_revoked cf.waf.content_scan.has_obj
        cf.waf.content_scan.has_malicious_obj cf.waf.content_scan.has_failed
        cf.waf.credential_check.password_leaked cf.waf.credential_check.username_leaked
        cf.waf.credential_check.username_and_password_leaked
        cf.waf.credential_check.username_password_similar cf.api_gateway.auth_id_present
        cf.api_gateway.request_violates_schema cf.api_gateway.fallthrough_detected
        cf.llm.prompt.detected cf.llm.prompt.pii_detected cf.llm.prompt.unsafe_topic_detected
        """);
    add(Scalar.IP, "ip.src cf.edge.server_ip");
    add(
        BYTES_LIST,
        """
        http.request.headers.names http.request.headers.values http.request.uri.args.names
        http.request.uri.args.values http.request.accepted_languages
        http.request.body.form.names http.request.body.form.values http.response.headers.names
        http.response.headers.values http.request.cookies.names http.request.cookies.values
        raw.http.request.uri.args.names raw.http.request.uri.args.values
        http.request.body.multipart.values cf.waf.content_scan.obj_types
        raw.http.response.headers.names raw.http.response.headers.values
        cf.waf.content_scan.obj_results cf.bot_management.tags cf.waf.content_scan.detection_ids
        cf.llm.prompt.pii_categories cf.llm.prompt.unsafe_topic_categories
        """);
    add(new ArrayOf(Scalar.INT), "cf.waf.content_scan.obj_sizes cf.bot_management.detection_ids");
    add(
        new ArrayOf(BYTES_LIST),
        """
        http.request.body.multipart.names http.request.body.multipart.filenames
        http.request.body.multipart.content_types http.request.body.multipart.content_dispositions
        http.request.body.multipart.content_transfer_encodings
        """);
    add(
        BYTES_LISTS_BY_NAME,
        """
        http.request.headers http.request.uri.args http.request.cookies http.request.body.form
        http.response.headers raw.http.response.headers raw.http.request.uri.args
        http.request.body.multipart
        http.request.jwt.claims.iss http.request.jwt.claims.sub http.request.jwt.claims.aud
        http.request.jwt.claims.jti
        """);
    add(
        new MapOf(new ArrayOf(Scalar.INT)),
        """
        http.request.jwt.claims.iat.sec http.request.jwt.claims.nbf.sec
        http.request.jwt.claims.exp.sec
        """);
    add(new MapOf(Scalar.INT), "cf.llm.prompt.custom_topic_categories");
    for (String claim : List.of("iss", "sub", "aud", "jti", "iat.sec", "nbf.sec", "exp.sec")) {
      add(BYTES_LIST, "http.request.jwt.claims." + claim + ".names");
      add(
          claim.endsWith(".sec") ? new ArrayOf(Scalar.INT) : BYTES_LIST,
          "http.request.jwt.claims." + claim + ".values");
    }
  }

  private FieldTypes() {}

  private static void add(FieldType type, String names) {
    for (String name : names.strip().split("\\s+", -1)) {
      TYPES.put(name, type);
    }
  }

  /** The type of a field; null if there is no such field. */
  static @Nullable FieldType type(String name) {
    return TYPES.get(name);
  }
}
