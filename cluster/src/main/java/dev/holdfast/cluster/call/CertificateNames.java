package dev.holdfast.cluster.call;

import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The nodes that a certificate names. Stateless. */
final class CertificateNames {

  /** The type of a DNS name among the names of a certificate. */
  private static final int DNS_NAME = 2;

  private CertificateNames() {}

  /**
   * {@return the DNS names}
   *
   * @throws CertificateException if they cannot be read
   */
  static Set<String> of(X509Certificate certificate) throws CertificateException {
    Set<String> names = new HashSet<>();
    Collection<List<?>> all;
    try {
      all = certificate.getSubjectAlternativeNames();
    } catch (CertificateParsingException e) {
      throw new CertificateException("the names of a certificate cannot be read", e);
    }
    if (all != null) {
      for (List<?> each : all) {
        if (each.get(0) instanceof Integer type && type == DNS_NAME) {
          names.add(String.valueOf(each.get(1)));
        }
      }
    }
    return names;
  }
}
