@rem The hooks' front on Windows: Node decides about every event of a project that has a loop or guard rules.
@echo off
setlocal
set "RULES="
set "USERS=%USERPROFILE%\.claude"
if not "%CLAUDE_CONFIG_DIR%"=="" set "USERS=%CLAUDE_CONFIG_DIR%"
if exist "%USERS%\hookify.*.local.md" set "RULES=yes"
if exist "%CLAUDE_PROJECT_DIR%\.claude\hookify.*.local.md" set "RULES=yes"
if not "%AOT_LOOPS%"=="" goto worker
if not exist "%CLAUDE_PROJECT_DIR%\.claude\aot-loop-state.md" goto only_rules
if not exist "%CLAUDE_PROJECT_DIR%\.claude\aot-loop\session" if not "%1"=="SessionStart" goto only_rules
node "%~dp0..\lib\aot.cjs" hook %1 --state-file "%CLAUDE_PROJECT_DIR%\.claude\aot-loop-state.md"
goto decided
:worker
rem An agent of `aot run`: the rules of the project whose loop it works for. Node knows which that is.
if "%1"=="UserPromptSubmit" exit /b 0
if "%1"=="SessionStart" exit /b 0
set "RULES=yes"
:only_rules
if "%RULES%"=="" exit /b 0
if "%1"=="SubagentStart" exit /b 0
if "%1"=="SubagentStop" exit /b 0
if "%1"=="PermissionRequest" exit /b 0
if "%1"=="StopFailure" exit /b 0
if "%1"=="SessionEnd" exit /b 0
node "%~dp0..\lib\hook.cjs" %1
:decided
if errorlevel 1 if "%1"=="PreToolUse" exit /b 2
exit /b 0
