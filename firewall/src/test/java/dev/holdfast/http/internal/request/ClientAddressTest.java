package dev.holdfast.http.internal.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTest {

  /** Networks are separated by spaces, the values of the header by semicolons. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # No proxy is trusted, or the peer is none.
          ''                      | 192.0.2.1             | 192.0.2.9                 | 192.0.2.1
          10.0.0.0/8              | 192.0.2.1             | 192.0.2.9                 | 192.0.2.1
          10.0.0.0/8              | 11.0.0.1              | 192.0.2.9                 | 11.0.0.1
          10.0.0.1                | 10.0.0.2              | 192.0.2.9                 | 10.0.0.2
          # One hop and several; the client can write whatever is before the last untrusted one.
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.9                 | 192.0.2.9
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.8, 192.0.2.9      | 192.0.2.9
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.8;192.0.2.9       | 192.0.2.9
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.9, 10.0.0.2       | 192.0.2.9
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.9;10.0.0.2,10.0.0.3 | 192.0.2.9
          10.0.0.0/8 198.51.100.7 | 10.0.0.1              | 192.0.2.9, 198.51.100.7   | 192.0.2.9
          10.0.0.0/8              | 10.0.0.1              | 10.0.0.3, 10.0.0.2        | 10.0.0.3
          10.0.0.0/8              | 10.0.0.1              | ''                        | 10.0.0.1
          # IPv6, with the name of an interface and in the form of servers.
          2001:db8::/32           | 2001:db8::1           | 2001:db9::1               | 2001:db9::1
          2001:db8::/32           | 2001:db9::1           | 192.0.2.9                 | 2001:db9::1
          2001:db8::/32           | [2001:db8:0:0:0:0:0:1] | 192.0.2.9                | 192.0.2.9
          2001:db8::/32           | [2001:db9::1]         | 192.0.2.9                 | 2001:db9::1
          ''                      | [2001:db9::1]         | 192.0.2.9                 | 2001:db9::1
          fe80::/10               | fe80::1%eth0          | 192.0.2.9                 | 192.0.2.9
          fe80::/10               | [fe80::1%eth0]        | 192.0.2.9                 | 192.0.2.9
          ''                      | fe80::1%eth0          | 192.0.2.9                 | fe80::1
          2001:db8::/32 10.0.0.1  | 10.0.0.1              | 192.0.2.9, 2001:db8::1    | 192.0.2.9
          # However it is written, it is one address.
          10.0.0.0/8              | ::ffff:10.0.0.1       | ::ffff:203.0.113.7        | 203.0.113.7
          10.0.0.0/8              | [::ffff:a00:1]        | ::FFFF:CB00:7107          | 203.0.113.7
          ::ffff:10.0.0.0/104     | 10.0.0.1              | 203.0.113.7:4711          | 203.0.113.7
          10.0.0.0/8              | 10.0.0.1              | [::ffff:203.0.113.7]:4711 | 203.0.113.7
          10.0.0.0/8              | 10.0.0.1              | [2001:DB8:0::1]           | 2001:db8::1
          10.0.0.0/8              | 10.0.0.1              | [2001:db8::1]:443         | 2001:db8::1
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.9, 10.0.0.2:80    | 192.0.2.9
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.9,                | 192.0.2.9
          10.0.0.0/8              | 10.0.0.1              | ,192.0.2.9,, 10.0.0.2     | 192.0.2.9
          # What is no address names no client, where a trusted proxy names it.
          10.0.0.0/8              | 10.0.0.1              | unknown                   | -
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.9, _hidden        | -
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.9, x, 10.0.0.2    | -
          10.0.0.0/8              | 10.0.0.1              | x, 192.0.2.9, 10.0.0.2    | 192.0.2.9
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.256               | -
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.0/24              | -
          10.0.0.0/8              | 10.0.0.1              | 10.1                      | -
          10.0.0.0/8              | 10.0.0.1              | [192.0.2.9                | -
          10.0.0.0/8              | 10.0.0.1              | 192.0.2.9:                | -
          10.0.0.0/8              | 10.0.0.1              | localhost                 | -
          """)
  void clientIsThePeerOrTheLastAddressThatIsNotTrusted(
      String trusted, String peer, String forwardedFor, String client) {
    ClientAddress clients =
        new ClientAddress(
            Stream.of(trusted.split(" ")).filter(network -> !network.isEmpty()).toList());

    assertThat(clients.of(peer, List.of(forwardedFor.split(";"))).orElse("-")).isEqualTo(client);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "10.0.0.0/33", "10.0.0", ""})
  void whatIsNoNetworkIsRefused(String network) {
    assertThatThrownBy(() -> new ClientAddress(List.of(network)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
