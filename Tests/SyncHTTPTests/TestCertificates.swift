/// Certificates for tests only: made once with `openssl`, valid for a hundred years.
///
/// The authority's key was thrown away. The server's certificate is for 127.0.0.1 and localhost.
enum TestCertificates {
  static let authority = """
    -----BEGIN CERTIFICATE-----
    MIIBgjCCASmgAwIBAgIUJHeG2EuGrzgMTvjaw8ML4cNGqAUwCgYIKoZIzj0EAwIw
    FjEUMBIGA1UEAwwLTnlhcnUgdGVzdHMwIBcNMjYxMTMwMDQ1MDI2WhgPMjEyNjEx
    MDYwNDUwMjZaMBYxFDASBgNVBAMMC055YXJ1IHRlc3RzMFkwEwYHKoZIzj0CAQYI
    KoZIzj0DAQcDQgAE8lwFITNPDM75Yn/5G97wPX5lSLF2QYjFhjT/N/ZL0a3q++Qb
    3kJiUX1CA/O7aJ1iyHwGNNRBsTIcB0ITsM0NvqNTMFEwHQYDVR0OBBYEFCAbT7rH
    5N5zDrvumQuQO8AXxxdBMB8GA1UdIwQYMBaAFCAbT7rH5N5zDrvumQuQO8AXxxdB
    MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgL0XrJ/xC92Itoaax
    OUXx+NyM0U1myWzuXj5qgyKVk+cCIH+e1LjvS71QKcaLn1baX1SfhYoheRShtDsv
    KvqAzRLt
    -----END CERTIFICATE-----

    """

  static let server = """
    -----BEGIN CERTIFICATE-----
    MIIBizCCATKgAwIBAgIURtozdkpFxMcLR0Tfa9bTWKP6x0gwCgYIKoZIzj0EAwIw
    FjEUMBIGA1UEAwwLTnlhcnUgdGVzdHMwIBcNMjYxMTMwMDQ1MDI2WhgPMjEyNjEx
    MDYwNDUwMjZaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqG
    SM49AwEHA0IABFj/F9MxES/IYbPiC28Xe7RkGyAnoyFHCalLR5tDTgRX6RPFHo+b
    D/o3sBVADlo34xKuPEy5c8FuLDR6Ou3EPoSjXjBcMBoGA1UdEQQTMBGHBH8AAAGC
    CWxvY2FsaG9zdDAdBgNVHQ4EFgQUWt4VhCUp5IQNehOJCmYVbyTDb6swHwYDVR0j
    BBgwFoAUIBtPusfk3nMOu+6ZC5A7wBfHF0EwCgYIKoZIzj0EAwIDRwAwRAIgLPkd
    lPIslagDDR+XKZWcXe3VCKk9fDCT2QIi32XflIgCIGtrpwo3MFiPGXgEWpEbmq+W
    jhcvR880TxVhPj2H+jca
    -----END CERTIFICATE-----

    """

  static let serverKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKc/6D0cjJYsCkNbW
    nYFu66U9ndEeVyYaLxoDDpC0Is+hRANCAARY/xfTMREvyGGz4gtvF3u0ZBsgJ6Mh
    RwmpS0ebQ04EV+kTxR6Pmw/6N7AVQA5aN+MSrjxMuXPBbiw0ejrtxD6E
    -----END PRIVATE KEY-----

    """
}
