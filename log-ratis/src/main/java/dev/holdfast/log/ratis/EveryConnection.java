package dev.holdfast.log.ratis;

import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.thirdparty.io.grpc.Attributes;
import org.apache.ratis.thirdparty.io.grpc.Grpc;
import org.apache.ratis.thirdparty.io.grpc.ServerTransportFilter;
import org.apache.ratis.thirdparty.io.grpc.Status;

/**
 * Has the certificate of every connection checked that another node opens. TLS itself checks none
 * if the other side resumes a session: for days, a node could come back that is no member any more,
 * or whose certificate has expired. Thread-safe.
 */
final class EveryConnection extends ServerTransportFilter {

  private final X509ExtendedTrustManager trust;

  /**
   * Creates the check.
   *
   * @param trust decides
   */
  EveryConnection(X509ExtendedTrustManager trust) {
    this.trust = trust;
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    SSLSession session = attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    try {
      if (session == null) {
        throw new SSLPeerUnverifiedException("The connection has no session of TLS.");
      }
      Certificate[] shown = session.getPeerCertificates();
      X509Certificate[] chain = new X509Certificate[shown.length];
      System.arraycopy(shown, 0, chain, 0, shown.length);
      trust.checkClientTrusted(chain, chain[0].getPublicKey().getAlgorithm());
      return attributes;
    } catch (SSLPeerUnverifiedException | CertificateException e) {
      throw Status.UNAUTHENTICATED
          .withDescription(String.valueOf(e.getMessage()))
          .withCause(e)
          .asRuntimeException();
    }
  }
}
