package dev.holdfast.cluster.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.tls.CertificateAuthority.Issued;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JDK reads what is written here, and checks it by the rules of PKIX. */
final class CertificateAuthorityTest {

  private static final Instant FROM = Instant.parse("2026-01-02T03:04:05Z");
  private static final Instant UNTIL = FROM.plus(Duration.ofDays(30));

  private final CertificateAuthority authority =
      CertificateAuthority.of("shop", FROM, Instant.parse("2061-01-01T00:00:00Z"));

  private static X509Certificate read(String pem) throws Exception {
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
  }

  private static void validate(X509Certificate certificate, String authority, Instant at)
      throws Exception {
    PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(read(authority), null)));
    parameters.setRevocationEnabled(false);
    parameters.setDate(Date.from(at));
    CertPathValidator.getInstance("PKIX")
        .validate(
            CertificateFactory.getInstance("X.509").generateCertPath(List.of(certificate)),
            parameters);
  }

  @Test
  void certificateOfANodeHasItsNameAndTimes() throws Exception {
    Issued issued = authority.issue("node-a", FROM, UNTIL);
    X509Certificate read = read(issued.certificate());

    assertThat(read.getSubjectAlternativeNames()).containsExactly(List.of(2, "node-a"));
    assertThat(read.getSubjectX500Principal().getName()).isEqualTo("CN=node-a");
    assertThat(read.getIssuerX500Principal().getName()).isEqualTo("CN=Holdfast cluster shop");
    assertThat(read.getNotBefore().toInstant()).isEqualTo(FROM);
    assertThat(read.getNotAfter().toInstant()).isEqualTo(UNTIL);
    assertThat(read.getBasicConstraints()).isEqualTo(-1);
    assertThat(read.getKeyUsage()).startsWith(true, false);
    assertThat(read.getExtendedKeyUsage())
        .containsExactly("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
    assertThat(read.getSerialNumber().signum()).isEqualTo(1);
    validate(read, authority.certificate(), FROM);
  }

  @Test
  void authorityMaySignCertificatesAndEndsAfterTheYear2050() throws Exception {
    X509Certificate read = read(authority.certificate());

    assertThat(read.getBasicConstraints()).isEqualTo(Integer.MAX_VALUE);
    assertThat(read.getKeyUsage()[5]).isTrue();
    assertThat(read.getNotAfter().toInstant()).isEqualTo(Instant.parse("2061-01-01T00:00:00Z"));
    read.verify(read.getPublicKey());
  }

  @Test
  void certificateOfAnotherAuthorityOrAnotherTimeIsNotValid() throws Exception {
    X509Certificate read = read(authority.issue("a", FROM, UNTIL).certificate());
    CertificateAuthority other = CertificateAuthority.of("shop", FROM, UNTIL);

    assertThatThrownBy(() -> validate(read, other.certificate(), FROM))
        .isInstanceOf(CertPathValidatorException.class);
    assertThatThrownBy(() -> validate(read, authority.certificate(), UNTIL.plusSeconds(1)))
        .isInstanceOf(CertPathValidatorException.class);
  }

  @Test
  void keyCanBeReadByItsOwnerOnly(@TempDir Path directory) throws Exception {
    TlsFiles files = authority.write(directory, "b", FROM, UNTIL);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.key())))
        .isEqualTo("rw-------");
    assertThat(files.certificate()).hasFileName("b.pem").exists();
    assertThat(files.authority()).hasContent(authority.certificate());
    authority.write(directory, "b", FROM, UNTIL);
  }

  @Test
  void malformedNameAndEmptyTimeAreRefused() {
    assertThatThrownBy(() -> authority.issue("A.b", FROM, UNTIL))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> authority.issue("a", FROM, FROM))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("The certificate of a would end at");
    Instant late = UNTIL.plus(Duration.ofDays(3_000_000));
    assertThatThrownBy(() -> authority.issue("a", FROM, late))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no time after the year 9999");
  }

  @Test
  void nothingIsWrittenIfANameCannotBeUsed(@TempDir Path parent) throws Exception {
    Path directory = parent.resolve("new");
    for (String wrong : List.of("B", "a", "ca", "")) {
      assertThatThrownBy(() -> authority.write(directory, List.of("a", wrong), FROM, UNTIL))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> authority.write(parent, "ca", FROM, UNTIL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ca.pem");
    assertThat(parent).isEmptyDirectory();

    authority.write(directory, List.of("a", "b"), FROM, UNTIL);
    assertThat(List.of("ca.pem", "a.pem", "a.key", "b.pem", "b.key"))
        .allSatisfy(file -> assertThat(directory.resolve(file)).exists());
  }
}
