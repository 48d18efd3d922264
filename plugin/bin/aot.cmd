@node "%~dp0..\lib\aot.cjs" %*
